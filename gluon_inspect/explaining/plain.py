"""Proposals for plain Triton kernels, where the compiler picks the layouts: what the author can change instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gluon_inspect.explaining.coalesce import coalesced_layouts
from gluon_inspect.explaining.costs import WORTHWHILE, RegisterGuess, changed_time, seconds_before
from gluon_inspect.explaining.counterfactual import Trial, WhatIf
from gluon_inspect.explaining.group import groups
from gluon_inspect.model.access import Access
from gluon_inspect.model.artifact import TensorArgument
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.explanation import Effect, Proposal

_WORTHWHILE_WARPS = 1.1
"""`WORTHWHILE` for the number of warps, which moves little but occupancy: beyond the model's own error."""
_MULTIPLE = 16
"""What Triton looks for in arguments: 16 for integers, 16 bytes for pointers (`tt.divisibility`)."""
_WARPS = (1, 2, 4, 8, 16, 32)


def plain_proposals(what_if: WhatIf) -> tuple[Proposal, ...]:
    """Alignment of arguments, then the number of warps, each predicted alone; best first."""
    before = seconds_before(what_if)
    if what_if.base is None or before is None:
        return ()
    found = [*_aligned(what_if, before), *_other_warps(what_if, before)]
    return tuple(sorted(found, key=lambda p: -((p.effect.speedup if p.effect else None) or 0)))


def _aligned(what_if: WhatIf, before: float) -> Iterator[Proposal]:
    """All arguments whose unknown divisibility narrows an access or its mask, made multiples of 16."""
    names = dict.fromkeys(
        name
        for access in what_if.records.values()
        for name in (*access.weak_arguments, *access.weak_mask_arguments)
    )
    values = {name: _rounded(what_if, name) for name in names}
    if not values or None in values.values():
        return
    other = WhatIf(what_if.report, multiples={name: value for name, value in values.items() if value is not None})
    effect = _effect(what_if, other, before)
    if effect is not None:
        yield Proposal(
            title=f"let the compiler know that {_listed(list(names))} can be divided by 16",
            source=tuple(line for name in names for line in _hint(what_if, name)),
            effect=effect,
            where=f"in {what_if.report.name}, and where it is launched",
            note="the compiler picks wider accesses where it knows that addresses and masks allow them",
        )


def _rounded(what_if: WhatIf, name: str) -> int | None:
    """An argument's value, raised to a multiple of 16; None where it has no known number."""
    value = what_if.report.launch.arguments.get(name)
    number = value.address if isinstance(value, TensorArgument) else value
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return -(-number // _MULTIPLE) * _MULTIPLE


def _hint(what_if: WhatIf, name: str) -> Iterator[str]:
    value = what_if.report.launch.arguments.get(name)
    if isinstance(value, TensorArgument):
        off = value.address % _MULTIPLE
        if off:
            yield f"# {name} begins {off} bytes past a multiple of 16: copy it, or begin {off} earlier and mask"
            return
    elif isinstance(value, int) and value % _MULTIPLE:
        yield f"# {name} is {value}: pad what it measures, so that it becomes {_rounded(what_if, name)}"
        return
    yield f"{name} = tl.multiple_of({name}, 16)  # or leave it out of do_not_specialize"


def _other_warps(what_if: WhatIf, before: float) -> Iterator[Proposal]:
    """The number of warps with which the compiler's layouts are predicted to be fastest."""
    if what_if.shared or what_if.report.num_warps is None:
        return
    tried = {
        warps: effect
        for warps in _WARPS
        if warps != what_if.warps and warps * what_if.target.warp_size <= what_if.target.max_threads_per_cta
        if (effect := _effect(what_if, WhatIf(what_if.report, warps=warps), before)) is not None
        and (effect.speedup or 0) >= _WORTHWHILE_WARPS
    }
    if not tried:
        return
    best = max(tried, key=lambda warps: tried[warps].speedup or 0)
    yield Proposal(
        title=f"num_warps={best}",
        source=(f"{what_if.report.name}[grid](…, num_warps={best})",),
        effect=tried[best],
        substitutions={"num_warps": str(best)},
        where=f"where {what_if.report.name} is launched, in place of num_warps={what_if.warps}",
    )


def _effect(what_if: WhatIf, other: WhatIf, before: float) -> Effect | None:
    """What a change is predicted to do, in the layouts that the compiler would pick; None: not worthwhile."""
    if other.base is None:
        return None
    layouts = coalesced_layouts(other.base, other.target, other.warps)
    held = RegisterGuess(other, _row(what_if, {})).occupancy(_row(other, layouts))
    accesses = other.accesses(layouts)
    warps = None if other.warps == what_if.warps else other.warps
    after = None if held is None else changed_time(what_if, accesses, held, warps=warps)
    if after is None or before < WORTHWHILE * after:
        return None
    return Effect(_sectors(tuple(what_if.records.values())), _sectors(accesses), before, after)


def _row(what_if: WhatIf, layouts: Mapping[Encoding, Encoding]) -> list[Trial]:
    """Every access of known address in its layout, or in what replaces it."""
    evaluated = what_if.base
    found = () if evaluated is None else groups(evaluated.accesses.values())
    trials = (
        what_if.trial(access, layouts.get(group.encoding, group.encoding))
        for group in found
        for access in group.accesses
    )
    return [trial for trial in trials if trial is not None]


def _sectors(accesses: tuple[Access, ...]) -> int | None:
    known = [access.sectors for access in accesses]
    return None if None in known else sum(sectors or 0 for sectors in known)


def _listed(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)
