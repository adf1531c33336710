"""How much a finding about one access matters: by the time it is predicted to lose."""

from __future__ import annotations

from gluon_inspect.model.finding import Severity

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
