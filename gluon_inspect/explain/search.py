"""Proposals by search: for each layout in use, the candidate that serves all its accesses best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

from gluon_inspect.addresses.geometry import dim_strides
from gluon_inspect.addresses.global_access import GlobalAccess
from gluon_inspect.errors import InspectError
from gluon_inspect.explain.candidates import candidates
from gluon_inspect.explain.costs import access_seconds, kernel_seconds
from gluon_inspect.explain.counterfactual import Trial, WhatIf
from gluon_inspect.explain.wording import layout_assignment, runtime_helper
from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout
from gluon_inspect.model.access import Access, Direction
from gluon_inspect.model.encodings import BlockedEncoding, Encoding
from gluon_inspect.model.explanation import Effect, Proposal

_WORTHWHILE = 1.03
"""Predicted speedup below which a change is not proposed."""
_FINALISTS = 6
"""Candidates that the cost model judges, of those that the quick rank puts first."""
_APART = 1.10
"""How much better two layouts must be than the best single one to be worth a conversion."""


@dataclass(frozen=True, slots=True)
class Group:
    """The accesses that share one encoding."""

    encoding: Encoding
    accesses: tuple[GlobalAccess, ...]


def proposals(what_if: WhatIf) -> tuple[Proposal, ...]:
    """Layout changes that are predicted to make the kernel at least 3 % faster, best first."""
    base = what_if.base
    if base is None or "ttir" in what_if.report.kernel.stages:
        return ()
    found = [p for group in _groups(base.accesses.values()) for p in _for_group(what_if, group)]
    return tuple(sorted(found, key=lambda p: -((p.effect.speedup if p.effect else None) or 0)))


def _groups(accesses: Iterable[GlobalAccess]) -> Iterator[Group]:
    groups: dict[Encoding, list[GlobalAccess]] = defaultdict(list)
    for access in accesses:
        known = access.tally.sample is not None and not access.tally.unknown
        if access.tensor is not None and access.encoding is not None and known:
            groups[access.encoding].append(access)
    return (Group(encoding, tuple(members)) for encoding, members in groups.items())


def _for_group(what_if: WhatIf, group: Group) -> Iterator[Proposal]:
    table = _trials(what_if, group)
    if not table:
        return

    def cost(trial: Trial) -> float:
        return access_seconds(what_if.target, trial.traffic)

    ranked = sorted(table, key=lambda layout: sum(map(cost, table[layout])))
    joint = min(ranked[:_FINALISTS], key=lambda layout: _seconds(what_if, group, layout))
    apart = [min((row[i] for row in table.values()), key=cost) for i in range(len(group.accesses))]
    together = sum(map(cost, table[ranked[0]]))
    if joint != group.encoding:
        proposal = _single(what_if, group, joint)
        if proposal is not None:
            yield proposal
    if together > _APART * sum(map(cost, apart)) and _crosses(group, apart):
        proposal = _converted(what_if, group, apart)
        if proposal is not None:
            yield proposal


def _seconds(what_if: WhatIf, group: Group, layout: BlockedEncoding) -> float:
    found = kernel_seconds(what_if, what_if.accesses({group.encoding: layout}))
    return inf if found is None else found


def _trials(what_if: WhatIf, group: Group) -> Mapping[BlockedEncoding, list[Trial]]:
    table: dict[BlockedEncoding, list[Trial]] = {}
    for layout in dict.fromkeys(_layouts(what_if, group)):
        row = [trial for access in group.accesses if (trial := what_if.trial(access, layout)) is not None]
        if len(row) == len(group.accesses):
            table[layout] = row
    return table


def _layouts(what_if: WhatIf, group: Group) -> Iterator[BlockedEncoding]:
    if isinstance(group.encoding, BlockedEncoding):
        yield group.encoding
    for access in group.accesses:
        sample, tensor = access.tally.sample, access.tensor
        if sample is None or tensor is None:
            continue
        yield from candidates(
            tensor.shape,
            access.tally.element_bytes,
            dim_strides(sample),
            what_if.warps,
            what_if.target.warp_size,
        )


def _crosses(group: Group, apart: list[Trial]) -> bool:
    """Whether loads and stores want different layouts, so that a conversion between them helps."""
    loads = {t.layout for a, t in zip(group.accesses, apart, strict=True) if a.direction is Direction.LOAD}
    stores = {t.layout for a, t in zip(group.accesses, apart, strict=True) if a.direction is Direction.STORE}
    return bool(loads) and bool(stores) and loads != stores


def _single(what_if: WhatIf, group: Group, layout: BlockedEncoding) -> Proposal | None:
    effect = _effect(what_if, {group.encoding: layout})
    if effect.speedup is None or effect.speedup < _WORTHWHILE:
        return None
    shape = group.accesses[0].tensor.shape if group.accesses[0].tensor else ()
    name = constexpr_of(what_if, group.encoding)
    return Proposal(
        title=f"another layout for {_named(group, name)}",
        source=(layout_assignment(name or "layout", layout, shape), "", *runtime_helper(len(shape))),
        effect=effect,
        substitutions={} if name is None else {name: write_layout(layout, shape)},
        replaces=write_layout(group.encoding, shape),
        where=_where(what_if, name),
        note="" if name else "the layout is no constexpr parameter, so --try cannot substitute it",
    )


def _converted(what_if: WhatIf, group: Group, apart: list[Trial]) -> Proposal | None:
    pairs = [(access, trial.layout) for access, trial in zip(group.accesses, apart, strict=True)]
    load = next(layout for access, layout in pairs if access.direction is Direction.LOAD)
    store = next(layout for access, layout in pairs if access.direction is Direction.STORE)
    after = _mixed(what_if, group, load, store)
    before = _totals(what_if.accesses({}))
    effect = Effect(before[0], after[0], kernel_seconds(what_if, before[1]), kernel_seconds(what_if, after[1]))
    if effect.speedup is None or effect.speedup < _WORTHWHILE:
        return None
    shape = group.accesses[0].tensor.shape if group.accesses[0].tensor else ()
    return Proposal(
        title="load in one layout, store in another, and convert in between",
        source=(
            layout_assignment("load_layout", load, shape),
            layout_assignment("store_layout", store, shape),
            "value = gl.convert_layout(value, store_layout)  # between the load and the store",
        ),
        effect=effect,
        replaces=write_layout(group.encoding, shape),
        where="index the load by load_layout and the store by store_layout",
        note="what the conversion itself costs in shared memory is not counted here",
    )


def _mixed(
    what_if: WhatIf, group: Group, load: Encoding, store: Encoding
) -> tuple[int | None, tuple[Access, ...]]:
    loads = what_if.accesses({group.encoding: load})
    stores = what_if.accesses({group.encoding: store})
    mixed = tuple(b if a.direction is Direction.STORE else a for a, b in zip(loads, stores, strict=True))
    return _totals(mixed)


def _totals(accesses: tuple[Access, ...]) -> tuple[int | None, tuple[Access, ...]]:
    known = [access.sectors for access in accesses]
    return (None if None in known else sum(s or 0 for s in known)), accesses


def _effect(what_if: WhatIf, layouts: Mapping[Encoding, Encoding]) -> Effect:
    before, after = _totals(what_if.accesses({})), _totals(what_if.accesses(layouts))
    return Effect(before[0], after[0], kernel_seconds(what_if, before[1]), kernel_seconds(what_if, after[1]))


def constexpr_of(what_if: WhatIf, encoding: Encoding) -> str | None:
    """The constexpr parameter that holds an encoding, if one does."""
    for name, text in what_if.report.kernel.constexprs.items():
        try:
            if read_layout(text) == encoding:
                return name
        except InspectError:
            continue
    return None


def _named(group: Group, name: str | None) -> str:
    lines = sorted({a.op.location.line for a in group.accesses if a.op.location})
    places = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else "its accesses"
    return f"`{name}` ({places})" if name else places


def _where(what_if: WhatIf, name: str | None) -> str:
    if name is None:
        return "where the layout is made in the kernel"
    return f"pass it as `{name}` where {what_if.report.kernel.name} is launched"
