"""Whether a layout conversion pays: its ends with it, against both ends in one layout without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gluon_inspect.ir.operations import operand
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import TensorType
from gluon_inspect.traffic.shared.endpoint_costs import Endpoint, anywhere, wavefront_seconds
from gluon_inspect.traffic.shared.endpoints import CostedLaunch, endpoints_of
from gluon_inspect.traffic.shared.memory_layout import register_layout
from gluon_inspect.traffic.shared.steps import Totals

_FREE = (ConversionKind.TRIVIAL, ConversionKind.REGISTER)
_SIDES = ("source", "target")


@dataclass(frozen=True, slots=True)
class Profitability:
    """`pays` None: not known. `agreed`: "source" or "target", whose layout both ends could have at no loss."""

    pays: bool | None
    why: str
    agreed: str = ""


def profitability(
    op: Operation, kind: ConversionKind | None, totals: Totals | None, launch: CostedLaunch
) -> Profitability:
    """Whether a ttg.convert_layout pays; `totals` of its own shared memory traffic, one execution in one CTA."""
    source, target = operand(op, "src"), op.results[0]
    if kind is None or source is None:
        return Profitability(None, "a layout is not understood")
    if kind in _FREE:
        return Profitability(None, "it moves nothing between threads")
    before, after = endpoints_of(source, op, launch), endpoints_of(target, op, launch)
    layouts = [register_layout(v.type) for v in (source, target) if isinstance(v.type, TensorType)]
    if any(end.cost is None for end in (*before, *after)) or len(layouts) != 2:
        unknown = next((end.what for end in (*before, *after) if end.cost is None), "an end")
        return Profitability(None, f"what {unknown} costs in another layout is not known")
    wavefronts = (totals.wavefronts or 0 if totals else 0) * (launch.executions(op) or 0)
    own = wavefront_seconds(launch.target, wavefronts)
    found = _compare(before, after, (layouts[0], layouts[1]), own)
    return (
        Profitability(found.pays, f"{found.why} (under an assumed launch)", found.agreed)
        if launch.is_assumed
        else found
    )


def _compare(
    before: Sequence[Endpoint], after: Sequence[Endpoint], layouts: tuple[LinearLayout, LinearLayout], own: float
) -> Profitability:
    first, second = _total(before, layouts[0]), _total(after, layouts[1])
    if first is None or second is None:
        return Profitability(None, "what its ends cost now is not known")
    with_it = first + second + own
    options = (_sum(first, _total(after, layouts[0])), _sum(_total(before, layouts[1]), second))
    possible = {side: cost for side, cost in zip(_SIDES, options, strict=True) if cost is not None}
    ends = _listed(dict.fromkeys(end.what for end in (*before, *after) if end.cost is not anywhere))
    if not possible:
        return Profitability(True, f"its ends ({ends}) cannot have one layout")
    side, without = min(possible.items(), key=lambda item: item[1])
    if with_it < without:
        times = f"would take {_times(without, with_it)} as long in the {side}'s layout"
        return Profitability(True, f"without it {ends} {times}: {_micro(without)} instead of {_micro(with_it)}")
    worse = "".join(
        f"; in the {other}'s layout they would take {_times(cost, without)} as long"
        for other, cost in possible.items()
        if cost > with_it
    )
    head = f"{ends} would be no slower in the {side}'s layout, and the conversion vanishes"
    times = f": {_micro(without)} instead of {_micro(with_it)}" if with_it else ""
    return Profitability(False, f"{head}{times}{worse}", side)


def _listed(names: Iterable[str]) -> str:
    *first, last = list(names) or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.3g} µs"


def _times(longer: float, shorter: float) -> str:
    return f"{longer / shorter:.1f} times" if shorter else "many times"


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _total(ends: Sequence[Endpoint], layout: LinearLayout) -> float | None:
    total = 0.0
    for end in ends:
        cost = None if end.cost is None else end.cost(layout)
        if cost is None:
            return None
        total += cost
    return total
