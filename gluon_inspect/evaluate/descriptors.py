"""Tensor descriptors: which tensor a bulk copy addresses, followed back to where the descriptor was made.

A descriptor is an argument (made on the host), or made in the kernel by tt.make_tensor_descriptor, by
ttng.tensormap_create (read through ttng.reinterpret_tensor_descriptor), or changed by
amdg.update_tensor_descriptor. Views through loops count when they pass it on unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from gluon_inspect.evaluate.arithmetic import plus, times
from gluon_inspect.evaluate.values import AnyValue, Lanes, Scalar, Unknown
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import amdg, operand, operands_of, row_of, tt, ttng
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.model.artifact import DescriptorArgument, Launch, PixelBox
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import DescriptorType, PointerType, element_bits

Getter = Callable[[Value], AnyValue]

_B4X16_P64 = 14
"""tensormap_create's elem_type of padded fp4 (CUtensorMapDataType): two elements a byte."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The tensor: base address in bytes, sizes and strides in elements, outermost dimension first.

    `enabled`: whether copies through it do anything (a predicate that AMD's descriptors hold).
    `pixels`: the window of an im2col descriptor, where it is known.
    """

    base: Scalar
    shape: tuple[Scalar, ...]
    strides: tuple[Scalar, ...]
    enabled: AnyValue = 1
    pixels: PixelBox | None = None


class Descriptors:
    """The descriptors of one function under one launch."""

    def __init__(self, function: Operation, graph: Graph, launch: Launch) -> None:
        self._graph = graph
        created = (op for op in graph.within(function) if row_of(op) is ttng.TENSORMAP_CREATE)
        self._maps = {op.operands[0].index: op for op in created}
        self._host = _host_descriptors(function, launch)

    def at(self, value: Value, get: Getter) -> Descriptor | Unknown:
        """The descriptor that a value holds, its parts as `get` sees them."""
        return self._at(value, get, frozenset())

    def _at(self, value: Value, get: Getter, seen: frozenset[int]) -> Descriptor | Unknown:
        if value.index in self._host:
            return self._host[value.index]
        if value.index in seen:
            return Unknown("a descriptor that a loop changes")
        seen = seen | {value.index}
        if value.index in self._graph.handed:
            return self._one_of(value, get, seen)
        maker = self._graph.maker(value)
        unknown = Unknown(f"the descriptor {value.name.lstrip('%')}")
        if maker is None:
            return unknown
        match row_of(maker):
            case tt.MAKE_TENSOR_DESCRIPTOR:
                return _made(maker, get)
            case ttng.REINTERPRET_TENSOR_DESCRIPTOR:
                return self._mapped(maker, get)
            case amdg.UPDATE_TENSOR_DESCRIPTOR:
                return self._updated(maker, get, seen)
            case _:
                return unknown

    def _one_of(self, value: Value, get: Getter, seen: frozenset[int]) -> Descriptor | Unknown:
        """A loop's argument or result: known if every way to it leads to one source."""
        sources = {source.index: source for source in self._graph.handed[value.index]}
        others = [source for index, source in sources.items() if index not in seen]
        roots = {root for source in others for root in self._roots(source, seen)}
        if len(roots) != 1 or not others:
            return Unknown("a descriptor that differs by path")
        return self._at(others[0], get, seen)

    def _roots(self, value: Value, seen: frozenset[int]) -> set[int]:
        if value.index in seen:
            return set()
        if value.index not in self._graph.handed:
            return {value.index}
        inner = seen | {value.index}
        return {root for source in self._graph.handed[value.index] for root in self._roots(source, inner)}

    def _mapped(self, op: Operation, get: Getter) -> Descriptor | Unknown:
        created = self._maps.get(op.operands[0].index)
        if created is None:
            return Unknown("a descriptor in memory")
        return _from_map(created, get)

    def _updated(self, op: Operation, get: Getter, seen: frozenset[int]) -> Descriptor | Unknown:
        source = operand(op, "desc")
        before = Unknown("no descriptor") if source is None else self._at(source, get, seen)
        if isinstance(before, Unknown):
            return before
        switch = operand(op, "pred")
        switched = before if switch is None else replace(before, enabled=get(switch))
        return _moved(switched, operands_of(op, "add_offsets"), operands_of(op, "set_bounds"), op, get)


def _moved(
    before: Descriptor, offsets: tuple[Value, ...], bounds: tuple[Value, ...], op: Operation, get: Getter
) -> Descriptor | Unknown:
    size = max(1, (element_bits(op.results[0].type) or 8) // 8)
    shape = list(before.shape)
    base: AnyValue = before.base
    for position, (value, stride) in enumerate(zip(offsets, before.strides, strict=False)):
        by = get(value)
        if isinstance(by, Unknown | Lanes):
            return by if isinstance(by, Unknown) else Unknown("an offset that is a tensor")
        base = plus(base, times(times(by, stride), size))
        if op.attributes.get("clamp_bounds"):
            shape[position] = _left(shape[position], by)
    limits = _scalars(bounds, get)
    if isinstance(limits, Unknown):
        return limits
    if isinstance(base, Unknown | Lanes):
        return Unknown("an address that is not known")
    return replace(before, base=base, shape=limits or tuple(shape))


def _left(size: Scalar, by: Scalar) -> Scalar:
    """What is left of a dimension behind an offset."""
    rest = np.maximum(np.asarray(size, np.int64) - by, 0)
    return rest if rest.ndim else int(rest)


def _made(op: Operation, get: Getter) -> Descriptor | Unknown:
    base = operand(op, "base")
    parts = _scalars(() if base is None else (base, *operands_of(op, "shape"), *operands_of(op, "strides")), get)
    if isinstance(parts, Unknown):
        return parts
    rank = (len(parts) - 1) // 2
    return Descriptor(parts[0], parts[1 : 1 + rank], parts[1 + rank :])


def _from_map(op: Operation, get: Getter) -> Descriptor | Unknown:
    """Operands: where to, base, box, sizes, byte strides (all but the first), element strides; innermost first."""
    rank = (len(op.operands) - 1) // 4
    sizes = op.operands[2 + rank : 2 + 2 * rank]
    strides = op.operands[2 + 2 * rank : 1 + 3 * rank]
    parts = _scalars((op.operands[1], *sizes, *strides), get)
    if isinstance(parts, Unknown):
        return parts
    pointer = op.operands[1].type
    size = max(1, ((element_bits(pointer.pointee) if isinstance(pointer, PointerType) else None) or 8) // 8)
    dims, steps = list(parts[1 : 1 + rank]), [each // size for each in parts[1 + rank :]]
    if op.attributes.get("elem_type") == _B4X16_P64:
        dims[0] = dims[0] // 2
    return Descriptor(parts[0], tuple(reversed(dims)), (*reversed(steps), 1))


def _scalars(values: tuple[Value, ...], get: Getter) -> tuple[Scalar, ...] | Unknown:
    return scalars(map(get, values), "part of the descriptor")


def scalars(values: Iterable[AnyValue], each: str) -> tuple[Scalar, ...] | Unknown:
    """All of some values, or why one is not known; `each`: what each is."""
    found: list[Scalar] = []
    for value in values:
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Lanes):
            return Unknown(f"a {each} that is a tensor")
        found.append(value)
    return tuple(found)


def _host_descriptors(function: Operation, launch: Launch) -> dict[int, Descriptor | Unknown]:
    found: dict[int, Descriptor | Unknown] = {}
    for argument in function.regions[0].blocks[0].arguments if function.regions else ():
        if not isinstance(argument.type, DescriptorType):
            continue
        name = argument_name(argument)
        given = launch.arguments.get(name)
        if isinstance(given, DescriptorArgument):
            tensor = given.tensor
            found[argument.index] = Descriptor(tensor.address, tensor.shape, tensor.strides, pixels=given.pixels)
        else:
            found[argument.index] = Unknown(f"the descriptor {name} is not given")
    return found


def host_parts(function: Operation, launch: Launch) -> dict[int, int]:
    """Sizes and strides of host descriptors that are parameters of their own, by the parameter's index.

    Triton passes them behind the descriptor: all sizes, then all strides. Up to 3.6 they bear the
    descriptor's name, later `NAME.shape.0` and `NAME.stride.0`.
    """
    found: dict[int, int] = {}
    name, parts = "", ()
    for argument in function.regions[0].blocks[0].arguments if function.regions else ():
        own = argument_name(argument)
        given = launch.arguments.get(own)
        if isinstance(argument.type, DescriptorType):
            name = own
            tensor = given.tensor if isinstance(given, DescriptorArgument) else None
            parts = () if tensor is None else (*tensor.shape, *tensor.strides)
        elif parts and (own == name or own.startswith((f"{name}.shape.", f"{name}.stride."))):
            found[argument.index], parts = parts[0], parts[1:]
        else:
            parts = ()
    return found
