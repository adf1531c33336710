"""Makes the dumps beside it with the Triton that runs it: `python make.py`, once with 3.6 and once with 3.9.

The dialect that the last passes leave is cut off, since it is large and says nothing of layouts; the folder is
taken out of the places. `vector_lost.log` is `vector_kept.log` edited as `_lose_the_vector` says.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path

HERE = Path(__file__).parent
MARK = "// -----// "
TARGETS = ("cuda:90", "hip:gfx942")
SIZES = {"product": 32, "transpose": 32, "helped": 32, "coalesced": 32}


def _compile(name: str, target_name: str) -> None:
    sys.modules.setdefault("torch", types.ModuleType("torch"))
    import kernels
    import triton
    from kernels import gl
    from triton.compiler import ASTSource
    from triton.experimental.gluon._runtime import GluonASTSource

    target, warp = _target(target_name)
    function = getattr(kernels, name)
    constants = {"SIZE": SIZES[name]}
    if name == "helped":
        constants["layout"] = gl.BlockedLayout([1, 1], [1, warp], [4, 1], [1, 0])
        constants["out"] = gl.BlockedLayout([1, 1], [warp, 1], [1, 4], [0, 1])
    names = function.arg_names
    kind = "*fp16" if name == "product" else "*fp32"
    kinds = {"a": kind, "b": kind, "c": "*fp32", "src": kind, "dst": kind}
    signature = {each: "constexpr" if each in constants else kinds.get(each, "i32") for each in names}
    divisible = {(at,): [["tt.divisibility", 16]] for at, each in enumerate(names) if each not in constants}
    values = {(names.index(each),): value for each, value in constants.items()}
    front_end = ASTSource if name in ("product", "transpose") else GluonASTSource
    source = front_end(function, signature, values, divisible)
    triton.compile(source, target=target)


def _target(name: str):
    from triton.backends.compiler import GPUTarget

    backend, architecture = name.split(":")
    if backend == "cuda":
        return GPUTarget("cuda", int(architecture), 32), 32
    return GPUTarget("hip", architecture, 64), 64


def _dump(name: str, target: str) -> str:
    with tempfile.TemporaryDirectory() as cache:
        run = subprocess.run(
            [sys.executable, __file__, name, target],
            env={**os.environ, "MLIR_ENABLE_DUMP": "1", "TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": cache},
            capture_output=True,
            text=True,
            check=False,
        )
    text = run.stderr.replace(f"{HERE}{os.sep}", "")
    text = text[text.index(MARK) :]
    parts = [MARK + part for part in text.split(MARK)[1:]]
    return "".join(part for part in parts if "llvm.func " not in part).partition("\nTraceback")[0] + "\n"


def _lose_the_vector(kept: str) -> str:
    """As if the second removal of conversions had carried the store's layout up to the load."""
    name = "IR Dump Before TritonGPURemoveLayoutConversions"
    second = kept.index(name, kept.index(name) + 1)
    at = kept.index(MARK, second)
    after = kept[at:]
    lines = [line for line in after.split("\n") if "ttg.convert_layout" not in line]
    after = "\n".join(line if line.startswith("#") else line.replace("#blocked>", "#blocked1>") for line in lines)
    after = after.replace("parent = #blocked}", "parent = #blocked1}")
    return kept[:at] + after.replace("tt.store %6, %8", "tt.store %6, %7")


def _pair() -> None:
    """Two dumps of TTGIR passes, the second edited."""
    kept = _dump("transpose", "cuda:90")
    parts = [MARK + part for part in kept.split(MARK)[1:]]
    names = [part.split("\n")[0] for part in parts]
    first = next(at for at, name in enumerate(names) if "convert-triton-to-tritongpu" in name)
    text = "".join(parts[first : first + 10])
    (HERE / "vector_kept.log").write_text(text)
    (HERE / "vector_lost.log").write_text(_lose_the_vector(text))


def main() -> None:
    import triton

    for name in SIZES:
        for target in TARGETS:
            file = HERE / f"triton{triton.__version__}.{name}.{target.split(':')[1]}.log.gz"
            file.write_bytes(gzip.compress(_dump(name, target).encode(), mtime=0))
    if triton.__version__ == "3.9.0":
        _pair()


if __name__ == "__main__":
    _compile(*sys.argv[1:]) if sys.argv[1:] else main()
