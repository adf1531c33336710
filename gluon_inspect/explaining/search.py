"""Proposals by search: for each layout in use, the candidate that serves all its accesses best."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from gluon_inspect.axis.weak_arguments import pointers_behind
from gluon_inspect.explaining.conversion import Convert, best_conversion, conversion_proposal
from gluon_inspect.explaining.costs import WORTHWHILE, changed_time, seconds_before
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.from_strides import SOURCE, layout_for
from gluon_inspect.explaining.group import Group, Trials, constexpr_of, groups, named, try_all
from gluon_inspect.explaining.plain import plain_proposals
from gluon_inspect.explaining.wording import layout_assignment
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access
from gluon_inspect.model.artifact import TensorArgument
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.explanation import Effect, FromStrides, Proposal
from gluon_inspect.traffic.global_memory.geometry import dim_strides

_FINALISTS = 3
"""Candidates judged on many programs (tenths of a second with loops), of those that the first puts first."""


def proposals(what_if: WhatIf) -> tuple[Proposal, ...]:
    """Layout changes that are predicted to make the kernel at least 3 % faster, best first."""
    base = what_if.base
    if base is None:
        return ()
    if "ttir" in what_if.report.kernel.stages:
        return plain_proposals(what_if)
    found = [p for group in groups(base.accesses.values()) for p in _for_group(what_if, group)]
    return tuple(sorted(found, key=lambda p: -((p.effect.speedup if p.effect else None) or 0)))


def _for_group(what_if: WhatIf, group: Group) -> Iterator[Proposal]:
    before, trials = seconds_before(what_if), try_all(what_if, group)
    if before is None or not trials.table:
        return
    joint, after = _joint(what_if, trials)
    if joint != group.encoding and before >= WORTHWHILE * after:
        moved = what_if.accesses({group.encoding: joint})
        effect = _effect(what_if, before, moved, after)
        yield _single(what_if, group, joint, effect, derived=_is_derived(what_if, trials, after))
    convert = best_conversion(what_if, trials, min(before, after) / WORTHWHILE)
    if convert is not None and pays(convert, before, after):
        mixed = convert.accesses(what_if, group)
        yield conversion_proposal(group, convert, _effect(what_if, before, mixed, convert.seconds))


def pays(convert: Convert, before: float, joint: float) -> bool:
    """Whether a conversion, its own cost counted, beats both the kernel as it is and the best single layout."""
    return convert.seconds * WORTHWHILE <= min(before, joint)


def _joint(what_if: WhatIf, trials: Trials) -> tuple[Encoding, float]:
    """The layout in which all of a group takes the least time, and that time."""
    everything = tuple(range(len(trials.group.accesses)))
    finalists = trials.best(everything, _FINALISTS) or [trials.group.encoding]
    seconds = {layout: _seconds(what_if, trials, layout) for layout in finalists}
    best = min(finalists, key=lambda layout: seconds[layout])
    return best, seconds[best]


def _seconds(what_if: WhatIf, trials: Trials, layout: Encoding) -> float:
    """Expected time of the whole kernel with the group in another layout, on a sample of its programs."""
    accesses = what_if.accesses({trials.group.encoding: layout})
    found = changed_time(what_if, accesses, trials.guess.occupancy(trials.table[layout]))
    return inf if found is None else found


def _is_derived(what_if: WhatIf, trials: Trials, seconds: float) -> bool:
    """Whether a layout that is derived from strides at run time is as good here as the best one."""
    group, lanes = trials.group, what_if.target.warp_size
    samples = [access.tally.sample for access in group.accesses]
    size = group.accesses[0].tally.element_bytes
    found = {
        layout_for(dim_strides(sample), group.shape, size, what_if.warps, lanes)
        for sample in samples
        if sample is not None
    }
    layout = found.pop() if len(found) == 1 else None
    if layout not in trials.table or layout is None:
        return False
    return _seconds(what_if, trials, layout) <= WORTHWHILE * seconds


def _strides_of(what_if: WhatIf, group: Group) -> FromStrides | None:
    """The tensor that a group's first access begins at, where one parameter of the tile's rank does."""
    graph = None if what_if.base is None else what_if.base.graph
    behind = () if graph is None else pointers_behind(group.accesses[0].address, graph)
    if len(behind) != 1:
        return None
    name = argument_name(behind[0])
    given = what_if.report.launch.arguments.get(name)
    is_whole = isinstance(given, TensorArgument) and len(given.shape) == len(group.shape)
    return FromStrides(name, group.shape) if is_whole else None


def _single(what_if: WhatIf, group: Group, layout: Encoding, effect: Effect, *, derived: bool) -> Proposal:
    name, shape = constexpr_of(what_if, group.encoding), group.shape
    return Proposal(
        title=f"another layout for {named(group, name)}",
        source=(layout_assignment(name or "layout", layout, shape), *(("", *SOURCE) if derived else ())),
        effect=effect,
        substitutions={} if name is None else {name: write_layout(layout, shape)},
        replaces=write_layout(group.encoding, shape),
        layouts=(write_layout(layout, shape),),
        from_strides=_strides_of(what_if, group) if derived and name else None,
        where=_where(what_if, name),
    )


def _effect(what_if: WhatIf, before: float, accesses: tuple[Access, ...], after: float) -> Effect:
    return Effect(_sectors(tuple(what_if.records.values())), _sectors(accesses), before, after)


def _sectors(accesses: tuple[Access, ...]) -> int | None:
    known = [access.sectors for access in accesses]
    return None if None in known else sum(sectors or 0 for sectors in known)


def _where(what_if: WhatIf, name: str | None) -> str:
    if name is None:
        return "where the layout is made in the kernel"
    return f"pass it as `{name}` where {what_if.report.kernel.name} is launched"
