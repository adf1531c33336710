"""A plain Triton kernel: a float16 matrix product, tiles of A and B staged by the compiler's pipeliner."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul(
    a,
    b,
    c,
    K,
    a_stride,
    b_stride,
    c_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_tile = a + m[:, None] * a_stride + k[None, :]
    b_tile = b + k[:, None] * b_stride + n[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        total = tl.dot(tl.load(a_tile), tl.load(b_tile), total)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * b_stride
    tl.store(c + m[:, None] * c_stride + n[None, :], total.to(tl.float16))


def main():
    m, n, k = 1024, 1024, 512
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(k, n, device="cuda", dtype=torch.float16)
    c = torch.empty(m, n, device="cuda", dtype=torch.float16)
    matmul[(m // 128, n // 128)](a, b, c, k, a.stride(0), b.stride(0), c.stride(0), 128, 128, 32)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-1)
    print(f"{m}x{k} times {k}x{n}")


if __name__ == "__main__":
    main()
