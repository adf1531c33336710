"""Replace constexpr layouts at launch, so that a proposal is compiled in place of what the script wrote."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Sequence
from typing import Any

from gluon_inspect.errors import UsageError
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.substitution import Substitution

_CLASSES = (
    "BlockedLayout",
    "SliceLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "NVMMADistributedLayout",
)
_WARPS = "num_warps"
"""An option of the launch, not a parameter; a script that does not give it has the default replaced."""
_SHARED = ("SwizzledSharedLayout", "PaddedSharedLayout", "NVMMASharedLayout", "SharedLinearLayout")


def install(patches: Patches, substitutions: Sequence[Substitution]) -> None:
    """Wraps JITFunction.run; launches of other kernels and other layouts go through untouched."""
    if not substitutions:
        return
    function: Any = importlib.import_module("triton.runtime.jit").JITFunction
    original = function.run
    table = {(s.kernel, s.parameter, s.old): layout_object(s.new) for s in substitutions}
    warps = {s.kernel: table[s.kernel, s.parameter, s.old] for s in substitutions if s.parameter == _WARPS}

    def run(self: Any, *arguments: Any, **options: Any) -> Any:
        name = self.fn.__name__
        given = [_replaced(table, name, p, v) for p, v in zip(self.arg_names, arguments, strict=False)]
        named = {key: _replaced(table, name, key, value) for key, value in options.items()}
        if name in warps:
            named.setdefault(_WARPS, warps[name])
        return original(self, *given, *arguments[len(given) :], **named)

    patches.set(function, "run", run)


def _replaced(table: dict[tuple[str, str, str], Any], kernel: str, parameter: str, value: Any) -> Any:
    if not any(key[:2] == (kernel, parameter) for key in table):
        return value
    return table.get((kernel, parameter, str(getattr(value, "value", value))), value)


def layout_object(text: str) -> Any:
    """The Gluon object of a layout expression: only layout classes, lists and numbers are built.

    Raises UsageError for anything else.
    """
    language: Any = importlib.import_module("triton.experimental.gluon.language")

    def build(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [build(item) for item in items]
            case ast.Call(func=ast.Name(id=name)) if name in (*_CLASSES, *_SHARED):
                arguments = [build(argument) for argument in node.args]
                named = {k.arg: build(k.value) for k in node.keywords if k.arg is not None}
                return getattr(language, name)(*arguments, **named)
            case _:
                raise UsageError(f"no layout that can be built: {ast.unparse(node)}")

    return build(ast.parse(text, mode="eval").body)
