"""What an encoding must be before it can be lowered: its rank, and fields that fit each other."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.errors import LayoutError
from gluon_inspect.model import encodings as e
from gluon_inspect.model.encodings import Bases, Encoding

Shape = tuple[int, ...]


def encoding_rank(encoding: Encoding) -> int | None:
    """Number of tensor dimensions the encoding is written for; None where it does not say."""
    match encoding:
        case (
            e.BlockedEncoding(order=numbers)
            | e.SwizzledSharedEncoding(order=numbers)
            | e.AmdRotatingSharedEncoding(order=numbers)
            | e.NvidiaMmaEncoding(warps_per_cta=numbers)
            | e.AmdMfmaEncoding(warps_per_cta=numbers)
        ):
            return len(numbers)
        case e.SliceEncoding(parent=parent):
            rank = encoding_rank(parent)
            return None if rank is None else rank - 1
        case e.DotOperandEncoding(parent=parent) | e.PartitionedSharedEncoding(inner=parent):
            return encoding_rank(parent)
        case e.PaddedSharedEncoding(offset=offset, order=order, shape=own):
            return _rank_of_bases(offset) or len(order) or len(own) or None
        case e.NvmmaSharedEncoding(rank=rank, cga=cga):
            return _rank_of_bases(cga) or rank
        case e.TensorMemoryEncoding() | e.TensorMemoryScalesEncoding():
            return 2
        case _:
            return _rank_of_bases(_all_bases(encoding))


def check(encoding: Encoding, shape: Shape) -> None:
    """Raise LayoutError where the encoding contradicts itself or does not fit the shape's rank."""
    if any(size < 1 or size & (size - 1) for size in shape):
        raise LayoutError(f"a linear layout needs powers of two, not the shape {list(shape)}")
    rank = encoding_rank(encoding)
    if rank is not None and rank != len(shape):
        raise LayoutError(f"an encoding of rank {rank} does not fit the shape {list(shape)}")
    if any(len(vector) != len(shape) or min(vector, default=0) < 0 for vector in _all_bases(encoding)):
        raise LayoutError(f"the bases of the encoding do not fit the shape {list(shape)}")
    if isinstance(encoding, e.DotOperandEncoding):
        check(encoding.parent, shape)
    _check_fields(encoding, len(shape))


def _check_fields(encoding: Encoding, rank: int) -> None:
    match encoding:
        case e.BlockedEncoding(per_thread, lanes, warps, order):
            _order(order)
            _lists(rank, per_thread, lanes, warps)
        case e.SliceEncoding(dim, parent):
            _dimension(dim, rank + 1)
            if not isinstance(parent, e.DistributedEncoding):
                raise LayoutError(f"only register layouts can be sliced, not {type(parent).__name__}")
        case e.DotOperandEncoding(op_idx, parent, k_width):
            _matrix(rank)
            if op_idx not in (0, 1):
                raise LayoutError(f"a dot has operands 0 and 1, not {op_idx}")
            if k_width < 1 and not isinstance(parent, e.BlockedEncoding):
                raise LayoutError("the operand of a matrix instruction needs a k_width")
        case e.NvidiaMmaEncoding(major, _, warps, instr):
            _matrix(rank)
            _lists(rank, warps)
            _lists(rank if major == 2 else 3, instr)
            if major == 3 and rank != 2:
                raise LayoutError(f"wgmma works on matrices of two dimensions, not {rank}")
        case e.AmdMfmaEncoding(_, warps, instr, _, tiles):
            _matrix(rank)
            _lists(rank, warps)
            # K is not part of the register layout; IR of Triton 3.4 and before leaves it out.
            _lists(2, instr[:2])
            _lists(rank, tiles or (1,) * rank)
        case e.AmdWmmaEncoding(instr_shape=instr):
            _matrix(rank)
            _lists(3, instr)
        case e.LinearEncoding() | e.AutoEncoding() | e.OpaqueEncoding():
            pass
        case _:
            _check_memory(encoding, rank)


def _check_memory(encoding: e.SharedEncoding | e.TensorMemory, rank: int) -> None:
    match encoding:
        case e.SwizzledSharedEncoding(vec, per_phase, max_phase, order) | e.AmdRotatingSharedEncoding(
            vec, per_phase, max_phase, order
        ):
            _order(order)
            _lists(3, (vec, per_phase, max_phase))
        case e.PaddedSharedEncoding(order=order) if order:
            _order(order)
            _lists(rank, [n + 1 for n in order])
        case e.PartitionedSharedEncoding(partitions, groups, dim):
            _dimension(dim, rank)
            _lists(2, (partitions, groups))
        case e.NvmmaSharedEncoding(swizzle, _, bits, fp4):
            if swizzle not in (0, 32, 64, 128) or bits not in (8, 16, 32, 64) or (fp4 and bits != 8):
                raise LayoutError(f"nvmma_shared knows no {swizzle}-byte swizzle of {bits}-bit elements")
            if rank < 2 and (swizzle or encoding.transposed):
                raise LayoutError("nvmma_shared swizzles and transposes matrices, not vectors")
        case e.TensorMemoryEncoding(rows, columns, stride):
            _lists(3, (rows, columns, stride))
        case _:
            pass


def _all_bases(encoding: Encoding) -> Bases:
    match encoding:
        case e.LinearEncoding(register, lane, warp, block):
            return register + lane + warp + block
        case e.AmdWmmaEncoding(register=register, warp=warp, cga=cga):
            return register + warp + cga
        case e.SharedLinearEncoding(offset, block) | e.PaddedSharedEncoding(_, offset, block):
            return offset + block
        case (
            e.SliceEncoding()
            | e.DotOperandEncoding()
            | e.PartitionedSharedEncoding()
            | e.AutoEncoding()
            | e.OpaqueEncoding()
        ):
            return ()
        case _:
            return encoding.cga


def _rank_of_bases(bases: Bases) -> int | None:
    return len(bases[0]) if bases else None


def _order(order: Sequence[int]) -> None:
    if sorted(order) != list(range(len(order))):
        raise LayoutError(f"an order holds each dimension once, not {list(order)}")


def _lists(length: int, *lists: Sequence[int]) -> None:
    for numbers in lists:
        if len(numbers) != length or min(numbers, default=1) < 1:
            raise LayoutError(f"expected {length} positive numbers, not {list(numbers)}")


def _dimension(dim: int, rank: int) -> None:
    if not 0 <= dim < rank:
        raise LayoutError(f"there is no dimension {dim} among {rank}")


def _matrix(rank: int) -> None:
    if rank < 2:
        raise LayoutError("matrix instructions work on matrices, not on a vector")
