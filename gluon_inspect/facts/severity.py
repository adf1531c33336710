"""How much a finding matters: by the time it is predicted to lose, and by what that rests on."""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Finding, Severity

_NOTHING = 0.01
_HEAVY = 0.2
_HEAVY_IF_WASTED = 0.05
"""Of the kernel's expected time. The lower one is for patterns that waste most of what they move: their loss
rests on how much of the waste the caches are expected to catch."""

THRESHOLDS = (
    "an error from 20% of the kernel's expected time on (5% where fewer than a third of what is moved is used), "
    "a note below 1%, else a warning"
)
"""In words, for the rules' texts."""


def severity_of(lost: float | None, unpredicted: Severity, *, wasteful: bool = False) -> Severity:
    """Severity of a pattern that loses a share of the kernel's time (0 to 1).

    `unpredicted` is for launches without a prediction; `wasteful`: most of what is moved serves nobody.
    """
    if lost is None:
        return unpredicted
    if lost >= (_HEAVY_IF_WASTED if wasteful else _HEAVY):
        return Severity.ERROR
    return Severity.NOTE if lost < _NOTHING else Severity.WARNING


def capped(finding: Finding, *, rests_on_assumed: bool) -> Finding:
    """The finding as no error where it rests on a value that somebody assumed, unless it is exact all the same."""
    if not rests_on_assumed or finding.severity is not Severity.ERROR or finding.confidence is Confidence.EXACT:
        return finding
    return replace(finding, severity=Severity.WARNING)
