"""IR of kernels that move data by TMA and through tensor memory, small enough to check by hand."""

# ruff: noqa: E501 (IR keeps its lines)

HEAD = """
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#slice = #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>
#rows = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
"""


def module(body, arguments="%src: !tt.tensordesc<64x128xf16, #shared>, %n: i32"):
    """A module with one kernel of that body."""
    return f"{HEAD}  tt.func public @kernel({arguments}) {{\n{body}\n    tt.return\n  }}\n}}\n"


LOAD = """
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %row = arith.muli %x, %c64 : i32
    %column = arith.muli %y, %c128 : i32
    %tile = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %bar, {size}, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_copy_global_to_local %src[%row, %column] %tile, %bar, %true : !tt.tensordesc<64x128xf16, #shared>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    ttng.wait_barrier %bar, %c0, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
"""
"""One tile of 64 x 128 halves a program: two boxes of 64 columns, 16,384 B."""


def load(size=16384):
    """LOAD, announcing `size` bytes."""
    return module(LOAD.replace("{size}", str(size)))
