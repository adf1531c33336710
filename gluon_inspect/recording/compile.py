"""Compiling IR that is at hand as text: the remaining stages, by Triton, in a child process."""

from __future__ import annotations

from gluon_inspect.errors import CaptureError
from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.recording.record import record

STAGES = ("ttir", "glir", "ttgir")
"""What Triton's compiler can start from."""

_SCRIPT = """
import triton
from triton.runtime.driver import driver

triton.compile({path!r}, target=driver.active.get_current_target())
"""


def compile_ir(
    text: str, target: str, stage: str = "ttgir", timeout_seconds: float | None = None
) -> CompiledKernel:
    """The kernel that Triton makes of IR for a target: later stages, binary and dump.

    IR that does not compile gives a kernel with `error`. Raises CaptureError if Triton is missing or the
    process died, UsageError for an unknown target, ValueError for a stage that is not in STAGES.
    """
    if stage not in STAGES:
        raise ValueError(f"Triton does not compile from {stage!r}")
    with scratch_folder() as folder:
        ir, script = folder / f"kernel.{stage}", folder / "compile.py"
        ir.write_text(text, encoding="utf-8")
        script.write_text(_SCRIPT.format(path=str(ir)), encoding="utf-8")
        capture = record(str(script), target, timeout_seconds=timeout_seconds, once=True)
    if not capture.kernels:
        raise CaptureError("Triton compiled nothing")
    return capture.kernels[0]
