"""Random encodings with shapes that Triton accepts, for the comparison with its own lowering."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from gluon_inspect.model import encodings as e

Case = tuple[e.Encoding, tuple[int, ...]]


def _power(rng: Random, low: int, high: int) -> int:
    """A power of two between two exponents, inclusive."""
    return 1 << rng.randint(low, high)


def _split(rng: Random, total: int, rank: int) -> tuple[int, ...]:
    """`total` (a power of two) dealt over `rank` factors."""
    factors = [1] * rank
    while total > 1:
        factors[rng.randrange(rank)] *= 2
        total //= 2
    return tuple(factors)


def _order(rng: Random, rank: int) -> tuple[int, ...]:
    return tuple(rng.sample(range(rank), rank))


def _cga(rng: Random, rank: int, chance: float = 0.25) -> e.Bases:
    """Bases of a cluster of 1 to 8 CTAs: each bit doubles one dimension or copies."""
    if rng.random() > chance:
        return ()
    sizes, bases = [1] * rank, []
    for _ in range(rng.randint(1, 3)):
        vector = [0] * rank
        if rng.random() < 0.8:
            dim = rng.randrange(rank)
            vector[dim] = sizes[dim]
            sizes[dim] *= 2
        bases.append(tuple(vector))
    return tuple(bases)


def _shape(rng: Random, rank: int, cga: e.Bases, most_bits: int = 14) -> tuple[int, ...]:
    """Sizes of 1 to 1024, at least as large as the cluster."""
    least = [1] * rank
    for vector in cga:
        least = [max(n, 2 * x) for n, x in zip(least, vector, strict=True)]
    budget = most_bits
    sizes = []
    for n in least:
        bits = rng.randint(0, min(10, max(budget, 0)))
        budget -= bits
        sizes.append(max(n, 1 << bits))
    return tuple(rng.sample(sizes, rank)) if not cga else tuple(sizes)


def _warps(rng: Random, rank: int) -> tuple[int, ...]:
    return _split(rng, _power(rng, 0, 3), rank)


def blocked_encoding(
    rng: Random, rank: int, lanes: int = 0, warps: int = 0, cluster: bool = True
) -> e.BlockedEncoding:
    """A blocked encoding of a rank; 32 or 64 lanes, 1 to 8 warps and a cluster unless told."""
    lanes, warps = lanes or rng.choice((32, 32, 64)), warps or _power(rng, 0, 3)
    per_thread = _split(rng, _power(rng, 0, 5), rank)
    cga = _cga(rng, rank) if cluster else ()
    return e.BlockedEncoding(
        per_thread, _split(rng, lanes, rank), _split(rng, warps, rank), _order(rng, rank), cga
    )


def blocked(rng: Random) -> Case:
    encoding = blocked_encoding(rng, rng.randint(1, 4))
    return encoding, _shape(rng, len(encoding.order), encoding.cga)


def sliced(rng: Random) -> Case:
    """A slice, or a slice of a slice, of any register layout."""
    parent, shape = rng.choice((blocked, blocked, nvidia_mma, mfma, wmma, operand))(rng)
    for _ in range(rng.randint(1, 2)):
        if len(shape) == 1:
            break
        dim = rng.randrange(len(shape))
        parent, shape = e.SliceEncoding(dim, parent), (*shape[:dim], *shape[dim + 1 :])
    return parent, shape


def linear(rng: Random) -> Case:
    """Unit vectors dealt to the inputs at random, with copies between; the shape may be larger or smaller."""
    rank = rng.randint(1, 4)
    box = [_power(rng, 0, 5) for _ in range(rank)]
    units = [
        tuple(1 << bit if d == dim else 0 for d in range(rank))
        for dim in range(rank)
        for bit in range(box[dim].bit_length() - 1)
    ]
    rng.shuffle(units)
    groups: dict[str, list[tuple[int, ...]]] = {"register": [], "lane": [], "warp": [], "block": []}
    limits = {"lane": 5, "warp": 2, "block": rng.choice((0, 0, 0, 1, 2))}
    for unit in units:
        name = rng.choice(tuple(groups))
        if len(groups[name]) >= limits.get(name, 99):
            name = "register"
        groups[name].append(unit)
    for name, limit in limits.items():
        while len(groups[name]) < limit:
            groups[name].insert(rng.randint(0, len(groups[name])), (0,) * rank)
    if rng.random() < 0.2:
        groups["register"].insert(rng.randint(0, len(groups["register"])), (0,) * rank)
    register, lane, warp, block = (tuple(groups[n]) for n in groups)
    encoding = e.LinearEncoding(register, lane, warp, block)
    return encoding, tuple(n << rng.choice((0, 0, 0, 1, 2)) if rng.random() < 0.8 else max(1, n // 2) for n in box)


def _mma_encoding(rng: Random, version: int) -> e.NvidiaMmaEncoding:
    rank = 2 if version == 3 else rng.choice((2, 2, 3))
    cga = _cga(rng, rank)
    if version == 3:
        warps = (4 << rng.randint(0, 1), _power(rng, 0, 1))
        return e.NvidiaMmaEncoding(3, 0, warps, (16, 8 << rng.randint(0, 5), rng.choice((8, 16, 32))), cga)
    tile = (16, 8) if rng.random() < 0.85 else (8, 8)
    return e.NvidiaMmaEncoding(2, 0, _warps(rng, rank), (*(1,) * (rank - 2), *tile), cga)


def nvidia_mma(rng: Random) -> Case:
    encoding = _mma_encoding(rng, rng.choice((2, 3)))
    return encoding, _shape(rng, len(encoding.warps_per_cta), encoding.cga)


def _mfma_encoding(rng: Random) -> e.AmdMfmaEncoding:
    rank = rng.choice((2, 2, 3))
    m, n = rng.choice(((32, 32), (16, 16), (16, 16), (64, 4), (4, 64)))
    tiles = (*(1,) * (rank - 2), _power(rng, 0, 1), _power(rng, 0, 1)) if rng.random() < 0.4 else (1,) * rank
    bits = 64 if (m, n) == (16, 16) and rng.random() < 0.2 else 32
    transposed = (m, n) == (64, 4) or ((m, n) != (4, 64) and rng.random() < 0.5)
    k = rng.choice((4, 8, 16, 32))
    version = rng.randint(1, 4)
    return e.AmdMfmaEncoding(version, _warps(rng, rank), (m, n, k), transposed, tiles, bits, _cga(rng, rank))


def mfma(rng: Random) -> Case:
    encoding = _mfma_encoding(rng)
    return encoding, _shape(rng, len(encoding.warps_per_cta), encoding.cga)


def _wmma_encoding(rng: Random) -> e.AmdWmmaEncoding:
    rank, version = rng.choice((2, 2, 3)), rng.randint(1, 3)
    sizes = [1] * rank
    groups: dict[str, list[tuple[int, ...]]] = {"register": [], "warp": []}
    for _ in range(rng.randint(0, 4)):
        dim = rng.randrange(rank - 2, rank)
        vector = [0] * rank
        vector[dim] = sizes[dim]
        sizes[dim] *= 2
        groups["register" if rng.random() < 0.4 else "warp"].append(tuple(vector))
    instr = (16, 16, 16)
    if version == 3:
        instr = rng.choice(((16, 16, 32), (16, 16, 64), (16, 16, 128), (16, 16, 4), (32, 16, 128)))
    register, warp = tuple(groups["register"]), tuple(groups["warp"])
    return e.AmdWmmaEncoding(version, rng.random() < 0.5, register, warp, instr, rank, _cga(rng, rank))


def wmma(rng: Random) -> Case:
    encoding = _wmma_encoding(rng)
    return encoding, _shape(rng, encoding.rank, encoding.cga)


def operand(rng: Random) -> Case:
    """A dot operand of any parent."""
    op_idx, kind = rng.randint(0, 1), rng.choice(("blocked", "mma2", "mma3", "mfma", "wmma"))
    k_width = rng.choice((1, 2, 4, 8))
    match kind:
        case "blocked":
            parent: e.Encoding = blocked_encoding(rng, rng.choice((2, 2, 3)))
            k_width = 0
        case "mma2" | "mma3":
            op_idx = op_idx if kind == "mma2" else 0
            parent = _mma_encoding(rng, int(kind[-1]))
        case "mfma":
            parent, k_width = _mfma_encoding(rng), rng.choice((4, 8, 16, 32))
        case _:
            parent, k_width = _wmma_operand_parent(rng)
    rank = len(parent.order) if isinstance(parent, e.BlockedEncoding) else _rank(parent)
    return e.DotOperandEncoding(op_idx, parent, k_width), _shape(rng, rank, parent.cga)


def _wmma_operand_parent(rng: Random) -> tuple[e.AmdWmmaEncoding, int]:
    parent = _wmma_encoding(rng)
    widths = {1: (16,), 2: (8,)}.get(parent.version, (2, 4, 8, 16))
    return parent, rng.choice([w for w in widths if 2 * w <= max(parent.instr_shape[2], 32)])


def _rank(parent: e.Encoding) -> int:
    if isinstance(parent, e.AmdWmmaEncoding):
        return parent.rank
    assert isinstance(parent, e.NvidiaMmaEncoding | e.AmdMfmaEncoding)
    return len(parent.warps_per_cta)


def swizzled(rng: Random) -> Case:
    rank = rng.randint(1, 4)
    vec, per_phase, max_phase = _power(rng, 0, 4), _power(rng, 0, 3), _power(rng, 0, 4)
    encoding = e.SwizzledSharedEncoding(vec, per_phase, max_phase, _order(rng, rank), _cga(rng, rank))
    return encoding, _shape(rng, rank, encoding.cga)


def nvmma(rng: Random) -> Case:
    rank, swizzle = rng.choice((1, 2, 2, 2, 3, 4)), rng.choice((0, 32, 64, 128, 128))
    fp4 = rng.random() < 0.15
    swizzle = 128 if fp4 else (0 if rank == 1 else swizzle)
    rank = max(rank, 2) if fp4 else rank
    bits = 8 if fp4 else rng.choice((8, 16, 32))
    transposed = rank > 1 and not fp4 and rng.random() < 0.4
    cga = _cga(rng, rank)
    encoding = e.NvmmaSharedEncoding(swizzle, transposed, bits, fp4, rank, cga)
    shape = list(_shape(rng, rank, cga, 12))
    contiguous, other = (0, rank - 1) if transposed else (rank - 1, 0)
    shape[contiguous] = max(shape[contiguous], 8 * max(swizzle, 16) // bits * 4)
    shape[other] = max(shape[other], 64)
    if rng.random() < 0.2:
        shape = [n * 8 if n < 256 else n * 2 for n in shape]
    return encoding, tuple(shape)


def shared_linear(rng: Random) -> Case:
    rank = rng.randint(1, 4)
    box = [_power(rng, 0, 4) for _ in range(rank)]
    box[0] = max(box[0], 2)
    units = [
        tuple(1 << bit if d == dim else 0 for d in range(rank))
        for dim in range(rank)
        for bit in range(box[dim].bit_length() - 1)
    ]
    rng.shuffle(units)
    blocks = rng.randint(0, 1) if len(units) > 2 else 0
    return e.SharedLinearEncoding(tuple(units[blocks:]), tuple(units[:blocks]), 16), tuple(box)


def partitioned(rng: Random) -> Case:
    inner, shape = swizzled(rng)
    assert isinstance(inner, e.SwizzledSharedEncoding)
    dim, partitions, groups = rng.randrange(len(shape)), _power(rng, 1, 2), _power(rng, 0, 2)
    shape = tuple(n * partitions * groups if i == dim else n for i, n in enumerate(shape))
    return e.PartitionedSharedEncoding(partitions, groups, dim, inner), shape


def tensor_memory(rng: Random) -> Case:
    rows, columns = rng.choice((64, 128)), _power(rng, 3, 8)
    two_ctas = rng.random() < 0.3
    cga: e.Bases = rng.choice((((1, 0),), ((1, 0), (0, 1)), ((1, 0), (0, 0)))) if two_ctas else _cga(rng, 2, 0.2)
    split = [max([2 * v[d] for v in cga] + [1]) for d in (0, 1)]
    shape = (rows * _power(rng, 0, 1) * split[0], columns * _power(rng, 0, 1) * split[1])
    stride = rng.choice((1, 1, 2))
    fp4 = rng.random() < 0.2
    return e.TensorMemoryEncoding(rows, columns, 1 if fp4 else stride, cga, two_ctas, fp4), shape


def tensor_memory_scales(rng: Random) -> Case:
    cga = _cga(rng, 2, 0.2)
    order = rng.choice(("", "", "mnThenK", "kThenMn"))
    least = [max([2 * vector[dim] for vector in cga] + [1]) for dim in (0, 1)]
    return e.TensorMemoryScalesEncoding(cga, order), (_power(rng, 3, 9), max(_power(rng, 1, 5), least[1]))


FAMILIES: dict[str, Callable[[Random], Case]] = {
    "blocked": blocked,
    "slice": sliced,
    "linear": linear,
    "nvidia_mma": nvidia_mma,
    "mfma": mfma,
    "wmma": wmma,
    "operand": operand,
    "swizzled": swizzled,
    "nvmma": nvmma,
    "shared_linear": shared_linear,
    "partitioned": partitioned,
    "tensor_memory": tensor_memory,
    "tensor_memory_scales": tensor_memory_scales,
}


def cases(seed: int, count: int, family: str = "") -> Iterator[tuple[str, e.Encoding, tuple[int, ...]]]:
    """`count` cases, the families in turn, or all of one family."""
    rng = Random(seed)
    names = [family] if family else list(FAMILIES)
    for index in range(count):
        name = names[index % len(names)]
        yield name, *FAMILIES[name](rng)
