"""Kernels with a finding, and the same with the advice followed: what the change gives on the card.

Run under the recorder (`gluon-inspect capture benchmarks/device/gains.py --target cuda:90`) every launch is made
once, before and after in turn; `python gains.py measure FILE` on a card times both, interleaved, with the L2
flushed, and writes medians. `gains_table.py` puts the two side by side.
"""

import json
import sys
import time

import torch
import triton
from gains_kernels import (
    bias_by_row,
    bias_divided,
    column_sum,
    complex_scaled,
    complex_split,
    converted_twice,
    copy2,
    grad_query,
    invariant,
    long_sum,
    product,
    rope_joined,
    rope_pairs,
    row_sum,
    rows_scaled,
    scaled_by_all,
    scaled_by_one,
    shifted,
    tail,
    thin,
    turn_shared,
    turned_converted,
    turned_store,
    unpack_flat,
    unpack_split,
)
from triton.experimental.gluon import language as gl

DEV = "cuda"
F16, F32 = torch.float16, torch.float32


def pairs():
    """(name, what the tool blames, before, after): launches without arguments."""
    big = [torch.randn(8192, 8192, device=DEV) for _ in range(2)]
    half = [torch.randn(1 << 26, device=DEV, dtype=F16) for _ in range(2)]
    down = gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])
    along4 = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    wide = gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])
    far = gl.BlockedLayout([1, 16], [8, 4], [4, 1], [1, 0])
    rows4 = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    rows4b = gl.BlockedLayout([1, 4], [8, 4], [2, 2], [1, 0])

    def copy(layout, rows=64):
        return lambda: copy2[(8192 // rows, 128)](*big, 8192, rows, 64, layout)

    yield "copy_down_rows", "GI101", copy(down), copy(along4)
    yield "copy_far_apart", "GI101", copy(far, 128), copy(along4, 128)
    one = gl.BlockedLayout([1], [32], [4], [0])
    eight = gl.BlockedLayout([8], [32], [4], [0])
    yield (
        "tail_masked", "GI102",
        lambda: tail[(1 << 16,)](*half, (1 << 26) - 1, eight), lambda: tail[(1 << 16,)](*half, 1 << 26, eight),
    )  # fmt: skip
    yield (
        "tail_one_a_lane", "GI102",
        lambda: tail[(1 << 15,)](*half, (1 << 26) - 1, eight, 2048),
        lambda: tail[(1 << 15,)](*half, (1 << 26) - 1, one, 2048),
    )  # fmt: skip
    yield (
        "turned_store", "GI101",
        lambda: turned_store[(128, 128)](*big, 8192, 64, along4),
        lambda: turned_converted[(128, 128)](*big, 8192, 64, along4, wide),
    )  # fmt: skip
    plain, free = gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), gl.SwizzledSharedLayout(4, 4, 8, [1, 0])
    yield (
        "swizzle", "GI201",
        lambda: turn_shared[(256, 256)](*big, 8192, 32, rows4, plain),
        lambda: turn_shared[(256, 256)](*big, 8192, 32, rows4, free),
    )  # fmt: skip
    yield (
        "redundant_conversion", "GI401",
        lambda: converted_twice[(128, 128)](*big, 8192, along4, rows4b),
        lambda: converted_twice[(128, 128)](*big, 8192, along4, along4),
    )  # fmt: skip
    small = torch.randn(4096, device=DEV)
    yield (
        "invariant_conversion", "GI403",
        lambda: invariant[(1024,)](small, big[1], 16, along4, wide, 0),
        lambda: invariant[(1024,)](small, big[1], 16, along4, wide, 1),
    )  # fmt: skip

    def gemm(K, stages=3, warps=8, BM=128, BN=128):
        a, b = torch.randn(4096, K, device=DEV, dtype=F16), torch.randn(K, 2048, device=DEV, dtype=F16)
        c = torch.empty(4096, 2048, device=DEV, dtype=F16)
        grid = (4096 // BM, 2048 // BN)
        return lambda: product[grid](a, b, c, 2048, K, BM=BM, BN=BN, BK=64, num_warps=warps, num_stages=stages)

    yield "gemm_odd_rows", "GI102", gemm(2309), gemm(2320)
    yield "gemm_spills", "GI302", gemm(2304, stages=2, warps=4, BM=256, BN=128), gemm(2304, stages=2)
    long = torch.randn(1024 << 19, device=DEV)
    sums = torch.empty(8192, device=DEV)
    yield (
        "rows_odd", "GI102",
        lambda: row_sum[(1024,)](long, sums, (1 << 19) - 1, RB=2048, num_warps=8),
        lambda: row_sum[(1024,)](long, sums, (1 << 19) - 16, RB=2048, num_warps=8),
    )  # fmt: skip
    yield (
        "rows_narrow_half", "GI102",
        lambda: rows_scaled[(8192,)](*half, 8001, RB=8192, num_warps=8),
        lambda: rows_scaled[(8192,)](*half, 8016, RB=8192, num_warps=8),
    )  # fmt: skip
    yield (
        "one_warp", "num_warps",
        lambda: rows_scaled[(8192,)](*half, 8000, RB=8192, num_warps=1),
        lambda: rows_scaled[(8192,)](*half, 8000, RB=8192, num_warps=8),
    )  # fmt: skip
    yield (
        "view_from_1", "GI102",
        lambda: shifted[(1 << 15,)](half[0][1:], half[1], (1 << 25), B=1024),
        lambda: shifted[(1 << 15,)](half[0], half[1], (1 << 25), B=1024),
    )  # fmt: skip
    packed = torch.zeros(4096 * 5504, dtype=torch.int8, device=DEV)
    total = 4096 * 11008
    yield (
        "division_constant", "GI509",
        lambda: unpack_split[(triton.cdiv(total, 1024),)](packed, half[1], total, BLOCK=1024),
        lambda: unpack_flat[(triton.cdiv(total, 1024),)](packed, half[1], total, BLOCK=1024),
    )  # fmt: skip
    yield (
        "division_argument", "GI509",
        lambda: bias_divided[(43 * 1024,)](half[0], sums, half[1], 4096 * 11008, 11008, B=1024),
        lambda: bias_by_row[(11, 4096)](half[0], sums, half[1], 4096 * 11008, 11008, B=1024),
    )  # fmt: skip
    T, H = 27030, 24
    x, o = (torch.zeros(T, H, 128, device=DEV, dtype=torch.bfloat16) for _ in range(2))
    cos, sin = (torch.randn(T, 64, device=DEV) for _ in range(2))
    yield (
        "rope_pairs", "GI104",
        lambda: rope_pairs[(T, 3)](x, cos, sin, o, H=H, HALF=64, BH=8),
        lambda: rope_joined[(T, 3)](x, cos, sin, o, H=H, HALF=64, BH=8),
    )  # fmt: skip
    yield (
        "complex_pairs", "GI104",
        lambda: complex_scaled[(1 << 15,)](big[0], big[1], 1 << 25, B=1024),
        lambda: complex_split[(1 << 15,)](big[0], big[1], 1 << 25, B=1024),
    )  # fmt: skip
    scale = torch.randn(1 << 19, device=DEV)
    yield (
        "thin_tile", "GI101",
        lambda: thin[(64, 512)](half[0], scale, half[1], 1 << 19, 64, BY=1024, BX=1),
        lambda: thin[(1, 1 << 15)](half[0], scale, half[1], 1 << 19, 64, BY=16, BX=64),
    )  # fmt: skip
    yield (
        "column_sum", "GI101",
        lambda: column_sum[(8192,)](big[0], sums, 8192, 8192, XB=1, RB=1024, num_warps=4),
        lambda: column_sum[(1024,)](big[0], sums, 8192, 8192, XB=8, RB=128, num_warps=4),
    )  # fmt: skip
    yield (
        "few_programs", "GI304",
        lambda: long_sum[(16,)](big[0], sums, 1 << 24, B=4096, num_warps=8),
        lambda: long_sum[(264,)](big[0], sums, 1 << 24, B=4096, num_warps=8),
    )  # fmt: skip
    yield (
        "one_address", "GI105",
        lambda: scaled_by_all[(1 << 16,)](big[0], sums, big[1], 1 << 26, 0, B=1024),
        lambda: scaled_by_one[(1 << 16,)](big[0], sums, big[1], 1 << 26, 0, B=1024),
    )  # fmt: skip
    q, k, v, do = (torch.randn(32, 4096, 64, device=DEV, dtype=F16) for _ in range(4))
    dq, dk, dv = (torch.zeros(32, 4096, 64, device=DEV) for _ in range(3))

    def attention(stages):
        return lambda: grad_query[(32, 32)](
            q, k, v, do, dq, dk, dv, 0.125, 4096, D=64, BM=64, BN=128, num_warps=8, num_stages=stages
        )

    yield "stages", "GI503", attention(2), attention(3)


def measure(path: str, turns: int = 25, seconds: float = 110.0) -> None:
    """Medians in microseconds of each pair, turn by turn, L2 flushed before each launch; written pair by pair."""
    begun = time.perf_counter()
    flush = torch.empty(256 << 20, dtype=torch.int8, device=DEV)
    found = {"device": torch.cuda.get_device_name(), "triton": triton.__version__, "pairs": {}}
    for name, rule, before, after in pairs():
        if time.perf_counter() - begun > seconds:
            found["pairs"][name] = {"rule": rule, "error": f"not measured: {seconds:.0f} s were over"}
            continue
        try:
            found["pairs"][name] = {"rule": rule} | _medians(before, after, flush, turns)
        except Exception as error:  # noqa: BLE001 (a pair that fails leaves the others)
            found["pairs"][name] = {"rule": rule, "error": repr(error)[:300]}
        print(f"{time.perf_counter() - begun:6.1f} s", name, found["pairs"][name], flush=True)
        with open(path, "w") as file:
            json.dump(found, file, indent=1)


def _medians(before, after, flush, turns: int) -> dict[str, float]:
    times = {"before": [], "after": []}
    for run in (before, after, before, after):
        run()
    torch.cuda.synchronize()
    for _ in range(turns):
        for which, run in (("before", before), ("after", after)):
            flush.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run()
            end.record()
            torch.cuda.synchronize()
            times[which].append(start.elapsed_time(end) * 1e3)
    return {which: sorted(all_)[turns // 2] for which, all_ in times.items()}


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "measure":
        measure(sys.argv[2])
    else:
        for *_, first, second in pairs():
            first()
            second()
