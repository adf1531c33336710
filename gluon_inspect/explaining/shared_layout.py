"""Shared layouts without bank conflicts, as proposals: what the analysis found for a buffer and all its uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gluon_inspect.explaining.costs import WORTHWHILE, changed_time, seconds_before
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.group import constexpr_of
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.access import Access
from gluon_inspect.model.explanation import Effect, Proposal
from gluon_inspect.model.finding import Finding


def shared_layouts(what_if: WhatIf, findings: Sequence[Finding]) -> Iterator[Proposal]:
    """A proposal for each shared layout that a finding knows a better one for, where it pays.

    Plain Triton's shared layouts are the compiler's, so there is nothing to write for them.
    """
    if "ttir" in what_if.report.kernel.stages:
        return
    pairs = dict.fromkeys(pair for each in findings if (pair := _pair(each)) is not None)
    for old, new in pairs:
        saved = {each.subject: _saved(each) for each in findings if _pair(each) == (old, new)}
        effect = _effect(what_if, saved)
        if effect is not None and (effect.speedup or 0) >= WORTHWHILE:
            yield _proposal(what_if, old, new, effect, [f for f in findings if f.subject in saved])


def _pair(finding: Finding) -> tuple[str, str] | None:
    """A buffer's layout and the better one, in Gluon's syntax."""
    old, new = finding.evidence.get("buffer_layout"), finding.evidence.get("suggestion")
    return (old, new) if isinstance(old, str) and isinstance(new, str) else None


def _saved(finding: Finding) -> int:
    """Wavefronts of all the buffer's uses that go, one CTA and execution."""
    now, then = finding.evidence.get("buffer_wavefronts"), finding.evidence.get("suggestion_wavefronts")
    return now - then if isinstance(now, int) and isinstance(then, int) else 0


def _effect(what_if: WhatIf, saved: dict[str, int]) -> Effect | None:
    """What the kernel gains; uses of one buffer share what one execution of each of them saves."""
    subjects = [access for access in what_if.shared if access.id in saved and access.executions]
    surplus = sum(_excess(access) / (access.executions or 1) for access in subjects)
    before = seconds_before(what_if)
    if not surplus or before is None:
        return None
    share = min(1.0, max(saved.values()) / surplus)
    shared = tuple(
        replace(access, wavefronts=(access.wavefronts or 0) - round(share * _excess(access)))
        if access in subjects
        else access
        for access in what_if.shared
    )
    after = changed_time(what_if, tuple(what_if.records.values()), shared=shared)
    return Effect(None, None, before, after, wavefronts(what_if.shared), wavefronts(shared))


def wavefronts(shared: Iterable[Access]) -> int | None:
    """All wavefronts of shared memory; None where some are unknown."""
    found = [access.wavefronts for access in shared]
    return None if None in found else sum(each or 0 for each in found)


def _excess(access: Access) -> int:
    return (access.wavefronts or 0) - (access.wavefronts_ideal or 0)


def _proposal(what_if: WhatIf, old: str, new: str, effect: Effect, findings: Sequence[Finding]) -> Proposal:
    name = constexpr_of(what_if, read_layout(old))
    lines = sorted({f.location.author.line for f in findings if f.location is not None})
    places = f" (line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))})" if lines else ""
    launched = f"pass it as `{name}` where {what_if.report.kernel.name} is launched"
    return Proposal(
        title=f"another shared layout for {f'`{name}`' if name else 'the buffer'}{places}",
        source=(f"{name or 'shared_layout'} = gl.{new}",),
        effect=effect,
        substitutions={name: new} if name else {},
        replaces=old,
        layouts=(new,),
        where=launched if name else "where the buffer is allocated",
    )
