"""MLIR types, understood. A type that is not is kept as `OpaqueType`, lossless."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.model.encodings import Encoding


@dataclass(frozen=True, slots=True)
class ScalarType:
    """i1, i32, f16, bf16, f8E4M3FN, tf32, index …; `bits` is the storage width (index: 64)."""

    name: str
    bits: int

    @property
    def is_float(self) -> bool:
        """Whether the name is a floating-point one."""
        return self.name[0] in "fb" or self.name.startswith("tf")


@dataclass(frozen=True, slots=True)
class PointerType:
    """!tt.ptr<pointee, address space>; address space 1 is global memory."""

    pointee: Type
    address_space: int = 1
    bits: int = 64


@dataclass(frozen=True, slots=True)
class TensorType:
    """tensor<AxBx element, encoding>: `shape` in elements, outermost dimension first."""

    shape: tuple[int, ...]
    element: Type
    encoding: Encoding | None = None


@dataclass(frozen=True, slots=True)
class MemDescType:
    """!ttg.memdesc<shape x element, encoding, memory space, mutable, allocation shape>.

    `memory_space` is "shared", "tensor" or the attribute's text.
    """

    shape: tuple[int, ...]
    element: Type
    encoding: Encoding | None
    memory_space: str
    mutable: bool = False
    alloc_shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DescriptorType:
    """!tt.tensordesc<…> / !ttng.tensordesc_im2col<…>: the block and its shared encoding."""

    kind: str
    shape: tuple[int, ...]
    element: Type
    encoding: Encoding | None = None


@dataclass(frozen=True, slots=True)
class FunctionType:
    """(inputs) -> results."""

    inputs: tuple[Type, ...]
    results: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type that is not understood; `text` as it stands in the IR, aliases expanded."""

    text: str


Type = ScalarType | PointerType | TensorType | MemDescType | DescriptorType | FunctionType | OpaqueType


def element_bits(of: Type) -> int | None:
    """Bits of one element of a tensor, memdesc or scalar; None where unknown."""
    match of:
        case ScalarType() | PointerType():
            return of.bits
        case TensorType() | MemDescType() | DescriptorType():
            return element_bits(of.element)
        case _:
            return None
