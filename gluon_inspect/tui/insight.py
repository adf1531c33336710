"""What the background works out once a kernel is chosen: its explanation, and the launch to ask "what if" of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gluon_inspect.errors import InspectError, LayoutError
from gluon_inspect.explaining.costs import changed_time
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.group import constexpr_of
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.explanation import KernelExplanation
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.report import KernelReport
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.shared.steps import Lowering


@dataclass(frozen=True, slots=True, eq=False)
class Insight:
    """The explanation and the evaluated launch of one kernel; `problem` says why there is none."""

    kernel: KernelReport
    explanation: KernelExplanation | None = None
    what_if: WhatIf | None = None
    problem: str = ""

    def access(self, start: int) -> GlobalAccess | None:
        """The evaluated global access whose operation begins at this character of the IR."""
        base = self.what_if.base if self.what_if is not None else None
        return None if base is None else base.accesses.get(start)

    def shared(self, operation: Operation) -> Lowering | None:
        """What an operation does to shared memory; None where it does nothing, or nothing could be read."""
        lowered = self.what_if.lowered if self.what_if is not None else ()
        here = (each for each in lowered if each.op.span.start == operation.span.start)
        return next((each.lowering for each in here if each.op.name == operation.name), None)


@dataclass(frozen=True, slots=True)
class Trial:
    """One layout replaced by another: the kernel's accesses and expected seconds before and after."""

    old: Encoding
    new: Encoding
    before: tuple[Access, ...]
    after: tuple[Access, ...]
    seconds_before: float | None
    seconds_after: float | None

    @property
    def speedup(self) -> float | None:
        """Expected time before over after; None where either is unknown."""
        if self.seconds_before is None or not self.seconds_after:
            return None
        return self.seconds_before / self.seconds_after


def insight_of(kernel: KernelReport) -> Insight:
    """Explain a kernel and evaluate its launch; takes seconds on large kernels."""
    try:
        what_if = WhatIf(kernel)
        return Insight(kernel, explain(kernel), what_if)
    except InspectError as error:
        return Insight(kernel, problem=str(error))


def parameter_of(insight: Insight, encoding: Encoding) -> str | None:
    """The constexpr parameter of the kernel that holds a layout, if one does."""
    return constexpr_of(insight.what_if, encoding) if insight.what_if is not None else None


def try_layout(insight: Insight, old: Encoding, text: str) -> Trial:
    """Evaluate the launch with a layout written in Gluon's syntax in the place of another.

    Raises ParseError with a position for text that is no layout, LayoutError for one that does not fit.
    """
    new = read_layout(text)
    what_if = insight.what_if
    if what_if is None or what_if.base is None:
        raise InspectError(insight.problem or "this kernel's launch could not be evaluated")
    _check(what_if, what_if.base.accesses.values(), old, new)
    before, after = what_if.accesses({}), what_if.accesses({old: new})
    return Trial(old, new, before, after, _seconds(what_if, before), _seconds(what_if, after))


def _check(what_if: WhatIf, accesses: Iterable[GlobalAccess], old: Encoding, new: Encoding) -> None:
    """The layout must suit the tensors, the warps and the lanes that are there."""
    users = [access for access in accesses if access.encoding == old and access.tensor is not None]
    if not users:
        hint = "move to a line that loads or stores, then evaluate its layout"
        raise LayoutError("no access to global memory has this layout", hint=hint)
    for access in users:
        layout = linear_layout(new, access.tensor.shape if access.tensor is not None else ())
        for name, wanted in (("warp", what_if.warps), ("lane", what_if.target.warp_size)):
            if layout.size(name) != wanted:
                raise LayoutError(f"this layout is for {layout.size(name)} {name}s, the kernel has {wanted}")


def _seconds(what_if: WhatIf, accesses: Sequence[Access]) -> float | None:
    return changed_time(what_if, accesses)
