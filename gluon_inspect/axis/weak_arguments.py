"""Which kernel arguments are to blame for an address of unknown divisibility or a mask in short runs."""

from gluon_inspect.axis.analysis import AxisAnalysis
from gluon_inspect.axis.information import AxisInfo
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import row_of, tt
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.ir.slices import is_integral
from gluon_inspect.model.mlir import Value
from gluon_inspect.model.types import PointerType, TensorType


def pointers_behind(value: Value, graph: Graph) -> tuple[Value, ...]:
    """The pointer parameters that a pointer, or a tensor of them, is computed from."""
    found = {each.index: each for each in graph.behind((value,), _is_pointer) if graph.is_parameter(each)}
    return tuple(found[index] for index in sorted(found))


def is_gather(address: Value, graph: Graph) -> bool:
    """Whether a tensor of addresses is computed from a tensor that is loaded from memory."""
    behind = graph.behind((address,), lambda value: isinstance(value.type, TensorType))
    makers = (graph.maker(value) for value in behind)
    return any(row_of(op).reads_memory or row_of(op) is tt.GATHER for op in makers if op is not None)


def weak_arguments(value: Value, graph: Graph, axis: AxisAnalysis, wanted: int) -> tuple[str, ...]:
    """Names of the kernel arguments behind `value` that are not known to be multiples of `wanted`.

    `wanted` in bytes for pointers and in elements for integers.
    """
    behind = graph.behind((value,), lambda each: is_integral(each.type))
    weak = {each.index: each for each in behind if graph.is_parameter(each) and _is_weak(each, axis[each], wanted)}
    return tuple(argument_name(weak[index]) for index in sorted(weak))


def _is_pointer(value: Value) -> bool:
    of = value.type.element if isinstance(value.type, TensorType) else value.type
    return isinstance(of, PointerType)


def _is_weak(value: Value, info: AxisInfo, wanted: int) -> bool:
    needed = max(wanted, 16) if isinstance(value.type, PointerType) else wanted
    return info.divisibility[0] < needed
