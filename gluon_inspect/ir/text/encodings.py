"""Encoding attributes: from the fields an attribute names to the model's dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast, get_args

from gluon_inspect.model import encodings as model
from gluon_inspect.model.encodings import Bases, Encoding
from gluon_inspect.model.mlir import Attribute

ENCODING_TYPES = (
    *get_args(model.DistributedEncoding),
    *get_args(model.SharedEncoding),
    *get_args(model.TensorMemory),
    model.AutoEncoding,
    model.OpaqueEncoding,
)


class NotUnderstoodError(Exception):
    """A field is missing or of another kind than expected; the attribute stays opaque."""


@dataclass(frozen=True, slots=True)
class Padding:
    """One `interval:+pad` of a padded layout, in elements."""

    interval: int
    pad: int


@dataclass(frozen=True, slots=True)
class Fields:
    """What stands between an attribute's `<` and `>`: named fields (of `{…}` and `name = value`) and the rest."""

    named: Mapping[str, Attribute]
    rest: tuple[object, ...] = ()

    def integer(self, *names: str, default: int | None = None) -> int:
        """The first of these fields that is there."""
        value = self._first(names, default)
        if isinstance(value, int):
            return int(value)
        raise NotUnderstoodError(names[0])

    def flag(self, *names: str) -> bool:
        """A boolean field, false where absent."""
        return bool(self.integer(*names, default=0))

    def integers(self, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """A list of integers."""
        value = self._first((name,), default)
        if _is_basis(value):
            return cast(tuple[int, ...], value)
        raise NotUnderstoodError(name)

    def bases(self, name: str, default: Bases | None = None) -> Bases:
        """A list of basis vectors."""
        value = self._first((name,), default)
        if isinstance(value, tuple) and all(_is_basis(item) for item in cast(tuple[object, ...], value)):
            return cast(Bases, value)
        raise NotUnderstoodError(name)

    def encoding(self, name: str) -> Encoding:
        """A nested encoding."""
        value = self.named.get(name)
        if isinstance(value, ENCODING_TYPES):
            return cast(Encoding, value)
        raise NotUnderstoodError(name)

    def nested(self, name: str) -> Fields:
        """A nested dictionary; empty where absent."""
        value = self.named.get(name, {})
        if isinstance(value, Mapping):
            return Fields(value)
        raise NotUnderstoodError(name)

    def _first(self, names: tuple[str, ...], default: object) -> object:
        for name in names:
            if name in self.named:
                return self.named[name]
        if default is None:
            raise NotUnderstoodError(names[0])
        return default

    def cga(self) -> Bases:
        """Block bases: `CGALayout`, or the CTAsPerCGA / CTASplitNum / CTAOrder that earlier versions wrote."""
        if "CGALayout" in self.named or "CTAsPerCGA" not in self.named:
            return self.bases("CGALayout", ())
        split, order = self.integers("CTASplitNum"), self.integers("CTAOrder")
        return grid_bases(order, split, self.integers("CTAsPerCGA"))


def _is_basis(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, int) for item in cast(tuple[object, ...], value))


def grid_bases(order: tuple[int, ...], split: tuple[int, ...], counts: tuple[int, ...]) -> Bases:
    """Bases of a grid of `counts`, fastest dimension first in `order`; beyond `split` a dimension repeats."""
    if not len(order) == len(split) == len(counts) or sorted(order) != list(range(len(order))):
        raise NotUnderstoodError("order")
    bases: list[tuple[int, ...]] = []
    for dim in order:
        step = 1
        while step < counts[dim]:
            length = step if step < split[dim] else 0
            bases.append(tuple(length if at == dim else 0 for at in range(len(order))))
            step *= 2
    return tuple(bases)


def _blocked(fields: Fields) -> Encoding:
    return model.BlockedEncoding(
        fields.integers("sizePerThread"),
        fields.integers("threadsPerWarp"),
        fields.integers("warpsPerCTA"),
        fields.integers("order"),
        fields.cga(),
    )


def _linear(fields: Fields, *, generic: bool = False) -> Encoding:
    register, lane, warp = (fields.bases(name) for name in ("register", "lane", "warp"))
    return model.LinearEncoding(register, lane, warp, fields.bases("block", ()), generic)


def _mma(fields: Fields) -> Encoding:
    return model.NvidiaMmaEncoding(
        fields.integer("versionMajor"),
        fields.integer("versionMinor", default=0),
        fields.integers("warpsPerCTA"),
        fields.integers("instrShape"),
        fields.cga(),
    )


def _mfma(fields: Fields) -> Encoding:
    return model.AmdMfmaEncoding(
        fields.integer("version", "versionMajor"),
        fields.integers("warpsPerCTA"),
        fields.integers("instrShape"),
        fields.flag("isTransposed", "isTranspose"),
        fields.integers("tilesPerWarp", ()),
        fields.integer("elementBitWidth", default=32),
        fields.cga(),
    )


def _wmma(fields: Fields) -> Encoding:
    register, warp = _wmma_bases(fields)
    shape = fields.integers("instrShape", (16, 16, 16))
    rank = len((*register, *warp, *fields.cga(), (0, 0))[0])
    transposed = fields.flag("isTransposed", "isTranspose")
    return model.AmdWmmaEncoding(fields.integer("version"), transposed, register, warp, shape, rank, fields.cga())


def _wmma_bases(fields: Fields) -> tuple[Bases, Bases]:
    """`ctaLayout`, or the warpsPerCTA and tilesPerWarp that earlier versions wrote (last dimension fastest)."""
    if "warpsPerCTA" not in fields.named:
        layout = fields.nested("ctaLayout")
        return layout.bases("register", ()), layout.bases("warp", ())
    warps = fields.integers("warpsPerCTA")
    tiles = fields.integers("tilesPerWarp", (1,) * len(warps))
    order = tuple(reversed(range(len(warps))))
    warp = grid_bases(order, warps, warps)
    scaled = tuple(tuple(step * tile for step, tile in zip(basis, tiles, strict=False)) for basis in warp)
    return grid_bases(order, tiles, tiles), scaled


def _swizzled(fields: Fields) -> Encoding:
    return model.SwizzledSharedEncoding(*_phases(fields))


def _rotating(fields: Fields) -> Encoding:
    return model.AmdRotatingSharedEncoding(*_phases(fields))


def _phases(fields: Fields) -> tuple[int, int, int, tuple[int, ...], Bases]:
    vec, per_phase, max_phase = (fields.integer(name) for name in ("vec", "perPhase", "maxPhase"))
    return vec, per_phase, max_phase, fields.integers("order"), fields.cga()


def _padded(fields: Fields) -> Encoding:
    pads = tuple((item.interval, item.pad) for item in _paddings(fields))
    if not pads:
        raise NotUnderstoodError("interval")
    offset, block = fields.bases("offset", ()), fields.bases("block", ()) or fields.cga()
    return model.PaddedSharedEncoding(
        pads, offset, block, fields.integers("order", ()), fields.integers("shape", ())
    )


def _paddings(fields: Fields) -> list[Padding]:
    lists = [cast(tuple[object, ...], part) for part in fields.rest if isinstance(part, tuple)]
    return [item for part in lists for item in part if isinstance(item, Padding)]


def _shared_linear(fields: Fields) -> Encoding:
    alignment = fields.integer("alignment", default=16)
    return model.SharedLinearEncoding(fields.bases("offset"), fields.bases("block", ()), alignment)


def _nvmma(fields: Fields) -> Encoding:
    cga = fields.cga()
    return model.NvmmaSharedEncoding(
        fields.integer("swizzlingByteWidth"),
        fields.flag("transposed"),
        fields.integer("elementBitWidth"),
        fields.flag("fp4Padded"),
        fields.integer("rank", default=len(cga[0]) if cga else 2),
        cga,
    )


def _partitioned(fields: Fields) -> Encoding:
    partitions, groups, dim = (fields.integer(name) for name in ("numPartitions", "numGroups", "partitionDim"))
    return model.PartitionedSharedEncoding(partitions, groups, dim, fields.encoding("partitionLayout"))


def _tensor_memory(fields: Fields) -> Encoding:
    return model.TensorMemoryEncoding(
        fields.integer("blockM"),
        fields.integer("blockN"),
        fields.integer("colStride", default=1),
        fields.cga(),
        fields.flag("twoCTAs"),
        fields.flag("fp4Padded"),
    )


def _scales(fields: Fields) -> Encoding:
    order = fields.named.get("blockRepOrder", "")
    return model.TensorMemoryScalesEncoding(fields.cga(), str(getattr(order, "text", order)))


BUILDERS: dict[str, Callable[[Fields], Encoding]] = {
    "#ttg.blocked": _blocked,
    "#ttg.slice": lambda fields: model.SliceEncoding(fields.integer("dim"), fields.encoding("parent")),
    "#ttg.linear": _linear,
    "#ttg.generic_linear": lambda fields: _linear(fields, generic=True),
    "#ttg.dot_op": lambda fields: model.DotOperandEncoding(
        fields.integer("opIdx"), fields.encoding("parent"), fields.integer("kWidth", default=0)
    ),
    "#ttg.nvidia_mma": _mma,
    "#ttg.amd_mfma": _mfma,
    "#ttg.amd_wmma": _wmma,
    "#ttg.swizzled_shared": _swizzled,
    "#ttg.amd_rotating_shared": _rotating,
    "#ttg.padded_shared": _padded,
    "#ttg.shared_linear": _shared_linear,
    "#ttg.nvmma_shared": _nvmma,
    "#ttg.partitioned_shared": _partitioned,
    "#ttng.tensor_memory_encoding": _tensor_memory,
    "#ttng.tensor_memory_scales_encoding": _scales,
    "#gluon.auto_encoding": lambda _: model.AutoEncoding("auto"),
    "#gluon.coalesced_encoding": lambda _: model.AutoEncoding("coalesced"),
}
"""By the attribute's name as written; any other stays opaque."""
