"""Enumerations that the generic form writes as numbers and the custom form as words."""

from gluon_inspect.ir.operations import arith, llvm
from gluon_inspect.model.mlir import Attribute

_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
_PREDICATES = {arith.CMPI.name: _CMPI, llvm.ICMP.name: _CMPI, arith.CMPF.name: _CMPF}
_AXES = {"x": 0, "y": 1, "z": 2}
_AXIS_NAMES = frozenset({"axis", "dim", "dimension"})


def normalised(operation: str, name: str, value: Attribute) -> Attribute:
    """Comparison predicates as words, program axes as numbers; anything else as it is."""
    if name == "predicate" and isinstance(value, int):
        words = _PREDICATES.get(operation, ())
        return words[value] if 0 <= value < len(words) else value
    if name in _AXIS_NAMES and isinstance(value, str):
        return _AXES.get(value, value)
    return value
