"""Triton's own layouts, asked for in a child process, since Triton aborts on some inputs.

Run as a script it is the child: one request a line on stdin (JSON: layout source in Gluon's syntax and
shape), one answer a line on stdout.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

ABORTED = "aborted"


class Oracle:
    """A child that is started when first asked and again after each abort."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None
        self.aborts = 0

    def ask(self, request: Mapping[str, object]) -> object:
        """The child's answer; ABORTED where Triton took the process down, {"error": …} where it raised."""
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        try:
            self._child.stdin.write(json.dumps(request) + "\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self._child.wait()
            self._child = None
            self.aborts += 1
            return ABORTED
        return json.loads(line)

    def bases(self, layout: str, shape: Sequence[int]) -> object:
        """{input dimension: list of vectors} for a layout in Gluon's syntax."""
        return self.ask({"do": "bases", "layout": layout, "shape": list(shape)})

    def conversion(self, source: str, target: str, shape: Sequence[int], **launch: object) -> object:
        """{"scratch": bytes (None without shared memory), "trivial", "texts": both as the IR writes them}."""
        request = {"do": "conversion", "source": source, "target": target, "shape": list(shape), **launch}
        return self.ask(request)

    def text(self, layout: str, shape: Sequence[int]) -> object:
        """The tensor type as the IR writes it."""
        return self.ask({"do": "text", "layout": layout, "shape": list(shape)})

    def default_swizzle(self, layout: str) -> object:
        """The swizzle, in bytes, of what a constructor of Gluon chooses."""
        return self.ask({"do": "default_swizzle", "layout": layout})

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            assert self._child.stdin is not None
            self._child.stdin.close()
            self._child.wait()
            self._child = None


def _namespace() -> dict[str, object]:
    from triton.experimental.gluon import language as gl
    from triton.experimental.gluon.language.amd import _layouts as amd
    from triton.experimental.gluon.language.amd.cdna5 import _layouts as cdna5
    from triton.experimental.gluon.language.nvidia import blackwell, rubin

    names: dict[str, object] = {"gl": gl}
    for module in (gl, amd, cdna5, blackwell):
        names.update({n: v for n, v in vars(module).items() if n.endswith("Layout")})
    names["TensorMemoryScalesLayout"] = rubin.TensorMemoryScalesLayout
    return names


_KEYS = {
    "DistributedLinearLayout": {"reg_bases": "register", "lane_bases": "lane", "warp_bases": "warp"},
    "SharedLinearLayout": {"offset_bases": "offset"},
    "_TensorMemoryLinearLayout": {"rows": "row", "cols": "col"},
}


def _bases(found: object) -> dict[str, object]:
    keys = {**_KEYS[type(found).__name__], "block_bases": "block"}
    return {ours: getattr(found, theirs) for theirs, ours in keys.items() if hasattr(found, theirs)}


class _Answers:
    """The child's side: everything Triton is asked for."""

    def __init__(self) -> None:
        self._names = _namespace()
        self._restart()

    def _restart(self) -> None:
        # A builder keeps its place in the module it last wrote to, and aborts when that is gone.
        from triton._C.libtriton import gluon_ir, ir

        self._context = ir.context()
        ir.load_dialects(self._context)
        self._builder = gluon_ir.GluonOpBuilder(self._context)

    def _attribute(self, layout: object) -> object:
        # The requests come from this repository's own generator.
        return eval(str(layout), dict(self._names))._to_ir(self._builder)  # noqa: S307

    def bases(self, request: Mapping[str, object]) -> object:
        return _bases(self._builder.to_linear_layout(self._attribute(request["layout"]), request["shape"]))

    def default_swizzle(self, request: Mapping[str, object]) -> object:
        return eval(str(request["layout"]), dict(self._names)).swizzle_byte_width  # noqa: S307

    def text(self, request: Mapping[str, object]) -> object:
        self._restart()
        attribute = self._attribute(request["layout"])
        module, _ = self._function(self._tensor(request["shape"], attribute))
        return module.str_nodebug()

    def conversion(self, request: Mapping[str, object]) -> object:
        from triton._C.libtriton import ir, nvidia

        self._restart()
        source, target = self._attribute(request["source"]), self._attribute(request["target"])
        before, after = (self._tensor(request["shape"], a) for a in (source, target))
        module, block = self._function(before)
        trivial = self._builder.is_convert_layout_trivial(after, block.arg(0))
        self._builder.create_convert_layout(after, block.arg(0))
        self._builder.ret([])
        for name in ("num-warps", "num-ctas", "threads-per-warp"):
            module.set_attr(f"ttg.{name}", self._builder.get_int32_attr(request[name.replace("-", "_")]))
        module.set_attr("ttg.target", self._builder.get_string_attr("cuda:90"))
        passes = ir.pass_manager(self._context)
        nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(passes, 90, 80)
        passes.run(module, "allocate")
        found = re.search(r"convert_layout.*allocation.size = (\d+)", module.str_nodebug())
        return {"scratch": int(found[1]) if found else None, "trivial": trivial}

    def _tensor(self, shape: object, attribute: object) -> object:
        return self._builder.get_distributed_ty(self._builder.get_float_ty(), shape, attribute)

    def _function(self, argument: object) -> tuple[Any, Any]:
        module = self._builder.create_module()
        kind = self._builder.get_function_ty([argument], [])
        function = self._builder.get_or_insert_function(module, "f", kind, "public", False)
        module.push_back(function)
        block = function.add_entry_block()
        self._builder.set_insertion_point_to_start(block)
        return module, block


def _serve() -> None:
    answers = _Answers()
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(answers, request["do"])(request)
        except Exception as error:  # noqa: BLE001  whatever Triton raises is the answer
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        replies.write(json.dumps(answer) + "\n")
        replies.flush()


if __name__ == "__main__":
    _serve()
