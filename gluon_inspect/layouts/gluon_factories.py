"""Gluon's constructors that choose: PaddedSharedLayout.with_identity_for, NVMMASharedLayout.get_default_for.

Rules: triton/experimental/gluon/language/_layouts.py, Triton 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import cast

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.gluon_fields import Fields, encoding_of_fields
from gluon_inspect.layouts.tile import share_of_cta
from gluon_inspect.model.encodings import Encoding, NvmmaSharedEncoding, PaddedSharedEncoding

_BITS_IN_NAME = re.compile(r"[a-z]+?(\d+)")
_LARGEST_SWIZZLE_FIRST = (128, 64, 32)
_CORE_ROWS = 8


@dataclass(frozen=True, slots=True)
class Factory:
    """A constructor: its parameters in order, those that may be left out, what it makes."""

    parameters: tuple[str, ...]
    defaults: Fields
    make: Callable[[Fields], Encoding]


def dtype_bits(name: str) -> int | None:
    """Bits of a Gluon dtype by its name (float16, bfloat16, int8, float8e5 …); None for another name."""
    found = _BITS_IN_NAME.match(name)
    return int(found[1]) if found and name.startswith(("float", "bfloat", "int", "uint")) else None


def _identity(values: Fields) -> Encoding:
    """Offsets row by row along `order`."""
    shaped = encoding_of_fields(
        "PaddedSharedLayout",
        {
            "interval_padding_pairs": values["interval_padding_pairs"],
            "offset_bases": (),
            "cga_layout": values["cga_layout"],
            "shape": values["shape"],
        },
    )
    ordered = encoding_of_fields(
        "SwizzledSharedLayout", {"vec": 1, "per_phase": 1, "max_phase": 1, "order": values["order"]}
    )
    assert isinstance(shaped, PaddedSharedEncoding)
    order = getattr(ordered, "order", ())
    return PaddedSharedEncoding(shaped.intervals_pads, (), shaped.block, order, shaped.shape)


def _default(values: Fields) -> Encoding:
    """The largest swizzle whose width divides the rows of one CTA, none below 8 rows."""
    plain = encoding_of_fields(
        "NVMMASharedLayout",
        {
            "swizzle_byte_width": 0,
            "element_bitwidth": values["dtype"],
            "transposed": values["transposed"],
            "fp4_padded": values["fp4_padded"],
            "cga_layout": values["cga_layout"],
        },
    )
    assert isinstance(plain, NvmmaSharedEncoding)
    shape = _sizes(values["block_shape"])
    share = share_of_cta(shape, plain.cga)
    if plain.transposed:
        share = [*share[1:], *share[:1]]
    row_bytes = share[-1] * (2 if plain.fp4_padded else 1) * plain.element_bits // 8
    fitting = [swizzle for swizzle in _LARGEST_SWIZZLE_FIRST if row_bytes and row_bytes % swizzle == 0]
    swizzle = fitting[0] if fitting and len(shape) > 1 and prod(share[:-1]) >= _CORE_ROWS else 0
    return NvmmaSharedEncoding(
        swizzle, plain.transposed, plain.element_bits, plain.fp4_padded, len(shape), plain.cga
    )


def _sizes(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise LayoutError("get_default_for: block_shape must be a list of integers")
    sizes = [size for size in cast("list[object]", value) if isinstance(size, int)]
    if len(sizes) != len(cast("list[object]", value)) or not sizes:
        raise LayoutError("get_default_for: block_shape must be a list of integers")
    return tuple(sizes)


FACTORIES: Mapping[str, Factory] = {
    "PaddedSharedLayout.with_identity_for": Factory(
        ("interval_padding_pairs", "shape", "order", "cga_layout"), {"cga_layout": ()}, _identity
    ),
    "NVMMASharedLayout.get_default_for": Factory(
        ("block_shape", "dtype", "transposed", "fp4_padded", "cga_layout"),
        {"transposed": False, "fp4_padded": False, "cga_layout": ()},
        _default,
    ),
}


def encoding_of_factory(name: str, values: Fields) -> Encoding:
    """What a constructor makes of its arguments. Raises LayoutError for missing or wrong ones."""
    factory = FACTORIES[name]
    unknown = [parameter for parameter in values if parameter not in factory.parameters]
    if unknown:
        raise LayoutError(f"{name} has no parameter {unknown[0]}")
    complete = {**factory.defaults, **values}
    missing = [parameter for parameter in factory.parameters if parameter not in complete]
    if missing:
        raise LayoutError(f"{name} lacks {missing[0]}", hint="parameters: " + ", ".join(factory.parameters))
    return factory.make(complete)
