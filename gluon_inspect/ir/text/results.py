"""Result types, by the rule of the operation's row."""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.operations.kinds import OperationRow, ResultRule
from gluon_inspect.ir.operations.rows import TOKEN
from gluon_inspect.ir.text.builder import scalar_type, vector_element
from gluon_inspect.ir.text.frames import NOWHERE, OperationFrame
from gluon_inspect.ir.text.scopes import UNKNOWN_TYPE
from gluon_inspect.ir.text.typelists import TypeLists
from gluon_inspect.model.mlir import DenseElements
from gluon_inspect.model.types import OpaqueType, PointerType, ScalarType, TensorType, Type

_I1 = ScalarType("i1", 1)
_TOKEN = OpaqueType(TOKEN)
_VALUED = frozenset(
    {
        *(K.CONSTANT, K.QUERY, K.ARITHMETIC, K.SHAPE, K.CONVERSION, K.REDUCTION, K.SCAN, K.GATHER, K.MMA),
        *(K.GLOBAL_LOAD, K.GLOBAL_ATOMIC, K.SHARED_ALLOC, K.SHARED_VIEW, K.SHARED_LOAD, K.SHARED_ATOMIC),
        *(K.TENSOR_ALLOC, K.TENSOR_VIEW, K.TENSOR_LOAD, K.DESCRIPTOR),
    }
)
"""Kinds that give a value, so that an operation without a named result still has one."""
_I64 = ScalarType("i64", 64)
_F64 = ScalarType("f64", 64)


def result_types(frame: OperationFrame, count: int, lists: TypeLists) -> list[Type]:
    """The types of `count` results; an unknown one is OpaqueType("")."""
    types = _by_rule(frame, lists)
    if len(types) == 1 and count > 1:
        return types * count
    return (types + [UNKNOWN_TYPE] * count)[:count]


def unnamed_types(frame: OperationFrame, lists: TypeLists) -> list[Type]:
    """Result types of an operation whose text names no result although it has some."""
    row = frame.row
    if row is None or row.result is ResultRule.FIXED:
        return []
    if row.kind in _VALUED:
        types = _by_rule(frame, lists)
        return types if frame.arrow != NOWHERE else types[:1]
    return _listed(frame, lists) if row.regions and row.kind is K.CONTROL and frame.arrow != NOWHERE else []


def _by_rule(frame: OperationFrame, lists: TypeLists) -> list[Type]:
    row = frame.row
    if row is None or frame.generic:
        return _listed(frame, lists)
    match row.result:
        case ResultRule.LISTED:
            return _listed(frame, lists)
        case ResultRule.LAST:
            return _listed(frame, lists)[-1:]
        case ResultRule.FIXED:
            return [_fixed(row)]
        case ResultRule.POINTEE:
            return [pointee(first) for first in _first(frame, lists)]
        case ResultRule.BOOLEAN:
            return [boolean_like(first) for first in _first(frame, lists)]
        case ResultRule.LITERAL:
            return [_literal(frame, lists)]
        case ResultRule.OPERAND:
            return [operand.type for operand in frame.operands[:1]]
        case ResultRule.ELEMENT:
            return [_element(operand.type) for operand in frame.operands[:1]]
        case ResultRule.TOKEN_SECOND:
            types = _listed(frame, lists)
            return [*types[:1], _TOKEN, *types[1:]] if frame.token_bracket else types


def _fixed(row: OperationRow) -> Type:
    return OpaqueType(row.result_type) if row.result_type[0] == "!" else scalar_type(row.result_type)


def _listed(frame: OperationFrame, lists: TypeLists) -> list[Type]:
    at = frame.arrow if frame.arrow != NOWHERE else frame.to if frame.to != NOWHERE else frame.last_colon
    return lists.listed(at + 1, frame.row) if at != NOWHERE else []


def _first(frame: OperationFrame, lists: TypeLists) -> list[Type]:
    return lists.listed(frame.colon + 1, frame.row)[:1] if frame.colon != NOWHERE else []


def pointee(of: Type) -> Type:
    """What a pointer, or a tensor of pointers, points to."""
    match of:
        case PointerType():
            return of.pointee
        case TensorType(_, PointerType() as element, _):
            return replace(of, element=element.pointee)
        case _:
            return UNKNOWN_TYPE


def boolean_like(of: Type) -> Type:
    """i1 with the shape and encoding of a type."""
    match of:
        case TensorType():
            return replace(of, element=_I1)
        case OpaqueType(text) if text.startswith("vector<"):
            return OpaqueType(f"{text.rpartition('x')[0]}xi1>")
        case _:
            return _I1


def _literal(frame: OperationFrame, lists: TypeLists) -> Type:
    value = frame.attributes.get(frame.row.literal if frame.row else "")
    if isinstance(value, DenseElements):
        return value.type
    listed = _listed(frame, lists)
    if listed:
        return listed[0]
    match value:
        case bool():
            return _I1
        case int():
            return _I64
        case float():
            return _F64
        case _:
            return UNKNOWN_TYPE


def _element(of: Type) -> Type:
    match of:
        case TensorType():
            return of.element
        case _:
            return vector_element(of) or UNKNOWN_TYPE
