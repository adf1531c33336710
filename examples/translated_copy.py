"""What Triton's own translation to Gluon costs: its layouts take one element a thread, so wide accesses are lost.

The original is a plain Triton kernel, whose layouts the compiler chooses by what lies behind each pointer: eight
fp16 elements a thread here, 16 bytes an instruction. The translation has to write layouts down without knowing
that. It is a start to be improved by hand: `gluon-inspect explain` says how.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path

import torch
import triton
import triton.language as tl

TILE = (16, 256)


@triton.jit
def copy(src, dst, rows, columns, src_stride, dst_stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    mask = (row[:, None] < rows) & (column[None, :] < columns)
    value = tl.load(src + row[:, None] * src_stride + column[None, :], mask=mask)
    tl.store(dst + row[:, None] * dst_stride + column[None, :], value, mask=mask)


def translated(kernel, folder):
    """The Gluon kernel that Triton's translator makes of `kernel`; `folder` is where its source is written."""
    from triton.tools.triton_to_gluon_translator.target import TranslatorTarget
    from triton.tools.triton_to_gluon_translator.translator import convert_triton_to_gluon

    target = triton.runtime.driver.active.get_current_target()
    name = target.arch if target.backend == "hip" else f"sm{target.arch}"
    file = Path(folder) / f"translated_{kernel.__name__}.py"
    file.write_text(convert_triton_to_gluon([kernel], TranslatorTarget(name)))
    specification = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(specification)
    sys.modules[file.stem] = module
    specification.loader.exec_module(module)
    return getattr(module, kernel.__name__)


def run(kernel, src, dst):
    grid = (triton.cdiv(src.shape[0], TILE[0]), triton.cdiv(src.shape[1], TILE[1]))
    kernel[grid](src, dst, *src.shape, src.stride(0), dst.stride(0), *TILE)
    torch.testing.assert_close(dst, src)


def main():
    src = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
    run(copy, src, torch.empty_like(src))
    print("Triton: copied")
    if importlib.util.find_spec("triton.tools.triton_to_gluon_translator") is None:
        print("this Triton does not bring the translator as 3.9 does")
        return
    with tempfile.TemporaryDirectory() as folder:
        run(translated(copy, folder), src, torch.empty_like(src))
    print("translated to Gluon: copied")


if __name__ == "__main__":
    main()
