"""Gluon's layout classes by name and fields: the model encoding each stands for.

Field names and defaults: triton.experimental.gluon.language, Triton 3.6 to 3.9. Nothing is imported from
there: a class is known by its name, so that layouts can be read where Triton is not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gluon_inspect.errors import LayoutError
from gluon_inspect.model import encodings as e
from gluon_inspect.model.encodings import Bases, Encoding

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class GluonClass:
    """One layout class: its fields in order, the values of those that may be left out, its meaning."""

    fields: tuple[str, ...]
    defaults: Fields
    build: Callable[[_Reader], Encoding]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed access to field values, which come from users."""

    name: str
    values: Fields

    def number(self, field: str) -> int:
        value = self.values[field]
        if not isinstance(value, int):
            raise self._wrong(field, "an integer")
        return int(value)

    def flag(self, field: str) -> bool:
        return bool(self.values[field])

    def text(self, field: str) -> str:
        return str(self.values[field])

    def numbers(self, field: str) -> tuple[int, ...]:
        value = self.values[field]
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise self._wrong(field, "a list of integers")
        items = cast("Sequence[object]", value)
        if not all(isinstance(item, int) for item in items):
            raise self._wrong(field, "a list of integers")
        return tuple(int(item) for item in cast("Sequence[int]", items))

    def bases(self, field: str) -> Bases:
        value = self.values[field]
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise self._wrong(field, "a list of lists of integers")
        vectors = cast("Sequence[object]", value)
        return tuple(_Reader(self.name, {field: vector}).numbers(field) for vector in vectors)

    def encoding(self, field: str) -> Encoding:
        value = self.values[field]
        if not isinstance(value, e.Encoding):
            raise self._wrong(field, "a layout")
        return value

    def _wrong(self, field: str, wanted: str) -> LayoutError:
        return LayoutError(f"{self.name}: {field} must be {wanted}, not {self.values[field]!r}")


def _blocked(r: _Reader) -> Encoding:
    per_thread, lanes = r.numbers("size_per_thread"), r.numbers("threads_per_warp")
    warps, order = r.numbers("warps_per_cta"), r.numbers("order")
    if not len(per_thread) == len(lanes) == len(warps) == len(order):
        raise LayoutError(f"{r.name}: all four lists must be of one length")
    if sorted(order) != list(range(len(order))):
        raise LayoutError(f"{r.name}: order must hold each dimension once, not {list(order)}")
    return e.BlockedEncoding(per_thread, lanes, warps, order, r.bases("cga_layout"))


def _linear(r: _Reader) -> Encoding:
    return e.LinearEncoding(
        r.bases("reg_bases"), r.bases("lane_bases"), r.bases("warp_bases"), r.bases("block_bases")
    )


def _nvidia_mma(r: _Reader) -> Encoding:
    major, minor = (*r.numbers("version"), 0)[:2]
    return e.NvidiaMmaEncoding(
        major, minor, r.numbers("warps_per_cta"), r.numbers("instr_shape"), r.bases("cga_layout")
    )


def _mfma(r: _Reader) -> Encoding:
    warps = r.numbers("warps_per_cta")
    return e.AmdMfmaEncoding(
        r.number("version"),
        warps,
        r.numbers("instr_shape"),
        r.flag("transposed"),
        r.numbers("tiles_per_warp") or (1,) * len(warps),
        32 if r.values["element_bitwidth"] is None else r.number("element_bitwidth"),
        r.bases("cga_layout"),
    )


def _wmma(r: _Reader) -> Encoding:
    return e.AmdWmmaEncoding(
        r.number("version"),
        r.flag("transposed"),
        r.bases("reg_bases"),
        r.bases("warp_bases"),
        r.numbers("instr_shape") or (16, 16, 16),
        2 if r.values["rank"] is None else r.number("rank"),
        r.bases("cga_layout"),
    )


def _nvmma(r: _Reader) -> Encoding:
    return e.NvmmaSharedEncoding(
        r.number("swizzle_byte_width"),
        r.flag("transposed"),
        r.number("element_bitwidth"),
        r.flag("fp4_padded"),
        r.number("rank"),
        r.bases("cga_layout"),
    )


def _swizzled(r: _Reader) -> Encoding:
    return e.SwizzledSharedEncoding(
        r.number("vec"),
        r.number("per_phase"),
        r.number("max_phase"),
        r.numbers("order"),
        r.bases("cga_layout"),
    )


def _padded(r: _Reader) -> Encoding:
    pairs = r.bases("interval_padding_pairs")
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise LayoutError(f"{r.name}: interval_padding_pairs must be pairs of an interval and a padding")
    return e.PaddedSharedEncoding(
        tuple((pair[0], pair[1]) for pair in pairs),
        r.bases("offset_bases"),
        r.bases("cga_layout"),
        (),
        r.numbers("shape"),
    )


def _tensor_memory(r: _Reader) -> Encoding:
    block = r.numbers("block")
    if len(block) != 2:
        raise LayoutError(f"{r.name}: block must be rows and columns, not {list(block)}")
    return e.TensorMemoryEncoding(
        block[0],
        block[1],
        r.number("col_stride"),
        r.bases("cga_layout"),
        r.flag("two_ctas"),
        r.flag("fp4_padded"),
    )


_NO_CGA: Fields = {"cga_layout": ()}

CLASSES: Mapping[str, GluonClass] = {
    "BlockedLayout": GluonClass(
        ("size_per_thread", "threads_per_warp", "warps_per_cta", "order", "cga_layout"), _NO_CGA, _blocked
    ),
    "SliceLayout": GluonClass(
        ("dim", "parent"), {}, lambda r: e.SliceEncoding(r.number("dim"), r.encoding("parent"))
    ),
    "DistributedLinearLayout": GluonClass(
        ("reg_bases", "lane_bases", "warp_bases", "block_bases", "shape"), {"shape": ()}, _linear
    ),
    "DotOperandLayout": GluonClass(
        ("operand_index", "parent", "k_width"),
        {"k_width": 0},
        lambda r: e.DotOperandEncoding(r.number("operand_index"), r.encoding("parent"), r.number("k_width")),
    ),
    "NVMMADistributedLayout": GluonClass(
        ("version", "warps_per_cta", "instr_shape", "cga_layout"), _NO_CGA, _nvidia_mma
    ),
    "AMDMFMALayout": GluonClass(
        (
            "version",
            "instr_shape",
            "transposed",
            "warps_per_cta",
            "element_bitwidth",
            "tiles_per_warp",
            "cga_layout",
        ),
        {"element_bitwidth": None, "tiles_per_warp": None, **_NO_CGA},
        _mfma,
    ),
    "AMDWMMALayout": GluonClass(
        ("version", "transposed", "warp_bases", "reg_bases", "instr_shape", "cga_layout", "rank"),
        {"reg_bases": None, "instr_shape": None, "rank": None, **_NO_CGA},
        _wmma,
    ),
    "NVMMASharedLayout": GluonClass(
        ("swizzle_byte_width", "element_bitwidth", "rank", "transposed", "fp4_padded", "cga_layout"),
        {"rank": 2, "transposed": False, "fp4_padded": False, **_NO_CGA},
        _nvmma,
    ),
    "SwizzledSharedLayout": GluonClass(
        ("vec", "per_phase", "max_phase", "order", "cga_layout"), _NO_CGA, _swizzled
    ),
    "PaddedSharedLayout": GluonClass(
        ("interval_padding_pairs", "offset_bases", "cga_layout", "shape"), {}, _padded
    ),
    "SharedLinearLayout": GluonClass(
        ("offset_bases", "block_bases", "alignment"),
        {"block_bases": (), "alignment": 16},
        lambda r: e.SharedLinearEncoding(r.bases("offset_bases"), r.bases("block_bases"), r.number("alignment")),
    ),
    "PartitionedSharedLayout": GluonClass(
        ("num_partitions", "num_groups", "partition_dim", "partition_layout"),
        {},
        lambda r: e.PartitionedSharedEncoding(
            r.number("num_partitions"),
            r.number("num_groups"),
            r.number("partition_dim"),
            r.encoding("partition_layout"),
        ),
    ),
    "TensorMemoryLayout": GluonClass(
        ("block", "col_stride", "cga_layout", "two_ctas", "fp4_padded"),
        {"two_ctas": False, "fp4_padded": False, **_NO_CGA},
        _tensor_memory,
    ),
    "TensorMemoryScalesLayout": GluonClass(
        ("cga_layout", "block_rep_order"),
        {"block_rep_order": "", **_NO_CGA},
        lambda r: e.TensorMemoryScalesEncoding(r.bases("cga_layout"), r.text("block_rep_order")),
    ),
    "AutoLayout": GluonClass((), {}, lambda _: e.AutoEncoding("auto")),
    "CoalescedLayout": GluonClass((), {}, lambda _: e.AutoEncoding("coalesced")),
}


def encoding_of_fields(name: str, values: Fields) -> Encoding:
    """The encoding of a layout class given by name, its fields by value (nested layouts already read).

    Raises LayoutError for an unknown class, a missing field or a value of the wrong type.
    """
    known = CLASSES.get(name)
    if known is None:
        raise LayoutError(f"unknown layout {name}", hint="known: " + ", ".join(CLASSES))
    unknown = [field for field in values if field not in known.fields]
    if unknown:
        raise LayoutError(f"{name} has no field {unknown[0]}", hint="fields: " + ", ".join(known.fields))
    complete = {**known.defaults, **values}
    missing = [field for field in known.fields if field not in complete]
    if missing:
        raise LayoutError(f"{name} lacks {missing[0]}", hint="fields: " + ", ".join(known.fields))
    return known.build(_Reader(name, complete))


def encoding_of_object(layout: object) -> Encoding:
    """The encoding of a Gluon layout object, recognised by the names of its classes."""
    layout = _unwrap(layout)
    if isinstance(layout, e.Encoding):
        return layout
    name = next((c.__name__ for c in type(layout).__mro__ if c.__name__ in CLASSES), None)
    if name is None:
        raise LayoutError(f"{layout!r} is not a Gluon layout")
    found = {field: getattr(layout, field) for field in CLASSES[name].fields if hasattr(layout, field)}
    return encoding_of_fields(name, {field: _read(value) for field, value in found.items()})


def _read(value: object) -> object:
    value = _unwrap(value)
    if isinstance(value, list | tuple):
        return [_read(item) for item in cast("Sequence[object]", value)]
    if value is None or isinstance(value, int | str | e.Encoding):
        return value
    return encoding_of_object(value)


def _unwrap(value: object) -> object:
    """The value inside a triton constexpr, if it is one."""
    while type(value).__name__ == "constexpr":
        value = getattr(value, "value", None)
    return value
