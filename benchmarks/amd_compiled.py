"""Facts about gfx1250 that need a compiled kernel: one tile of a GEMM, its operands brought by tensor descriptors.

Triton pull request 9741 gives SQ_INSTS_LDS and the bank conflicts of such kernels, K = 1024 in steps of 64.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from amd_answer import Answer, no_answer

from gluon_inspect import inspect
from gluon_inspect.analyses.amd_counters import PREDICTED
from gluon_inspect.model.finding import Scalar

_SCRIPT = """
import torch, triton, triton.language as tl


@triton.jit
def gemm(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [M, STEP])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [STEP, N])
    sums = tl.zeros((M, N), tl.float32)
    for k in tl.range(0, K, STEP):
        sums = tl.dot(left.load([0, k]), right.load([k, 0]), sums)
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.store(c + rows * N + columns, sums)


kind = {{"fp16": torch.float16, "fp8": torch.float8_e4m3fn}}["{kind}"]
a, b = torch.empty({m}, 1024, device="cuda", dtype=kind), torch.empty(1024, {n}, device="cuda", dtype=kind)
gemm[(1,)](a, b, torch.empty({m}, {n}, device="cuda"), 1024, {m}, {n}, 64, num_warps={waves}, num_stages=2)
"""
_STATEMENT = re.compile(r"(fp\d+) (\d+)x(\d+)x64(?:, (\d+) waves)?")
_WAVES = {16: 1, 32: 2, 64: 4, 128: 8}


def lds_instructions(fact: Mapping[str, Any]) -> Answer:
    """SQ_INSTS_LDS or conflict cycles of the kernel that a statement describes."""
    found = _STATEMENT.match(fact["statement"])
    if found is None:
        return no_answer("no such kernel")
    m, n = int(found[2]), int(found[3])
    counters = _predicted(found[1], m, n, int(found[4] or _WAVES[m]))
    name = "SQ_LDS_BANK_CONFLICT" if "BANK_CONFL" in fact["statement"] else "SQ_INSTS_LDS"
    value = counters.get(name)
    return Answer(float(value)) if isinstance(value, int | float) else no_answer(f"{name} is not predicted")


@lru_cache(maxsize=32)
def _predicted(kind: str, m: int, n: int, waves: int) -> dict[str, Scalar]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "gemm.py"
        script.write_text(_SCRIPT.format(kind=kind, m=m, n=n, waves=waves))
        (kernel,) = inspect(script, target="hip:gfx1250").kernels
    return {str(row[0]): row[2] for table in kernel.tables if table.key == PREDICTED for row in table.rows}
