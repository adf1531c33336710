"""A layout derived from a tensor's strides where a kernel is launched: either memory order gets its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import libcst as cst
from libcst import metadata as m

from gluon_inspect.fixing.edits import Edit, Edits, Refused
from gluon_inspect.fixing.expressions import match, prefix, unwrapped
from gluon_inspect.fixing.launches import NUM_WARPS, Wanted, is_launch
from gluon_inspect.fixing.names import names_in
from gluon_inspect.fixing.origins import certainly_passed, origins, passed
from gluon_inspect.fixing.parsed import Parsed, nodes
from gluon_inspect.model.explanation import FromStrides

_NAME = "layout_for"
_USUAL_LANES = 32
LAYOUT_FOR = """\
def layout_for(tensor, block, num_warps, lanes=32):
    order = sorted(range(tensor.ndim), key=tensor.stride)
    fast, slow = order[0], order[-1]
    widest = 16 // tensor.element_size() if tensor.stride(fast) == 1 else 1
    per_thread, threads, warps = ([1] * tensor.ndim for _ in range(3))
    own = max(1, math.prod(block) // (lanes * num_warps))
    per_thread[fast] = min(widest, own)
    threads[fast] = min(lanes, block[fast] // per_thread[fast])
    threads[slow] *= lanes // threads[fast]
    warps[slow] = num_warps
    return gl.BlockedLayout(per_thread, threads, warps, order)
"""
"""Lanes along the dimension in which a tensor is contiguous, 16 bytes each at most; `block`: the tile's shape."""


def derived_anew(
    files: Sequence[Parsed],
    definition: cst.FunctionDef,
    wanted: Wanted,
    strides: FromStrides,
    num_warps: int,
    lanes: int,
) -> Edits:
    """The edits after which the kernel's one launch derives its layout; Refused where that is not certain."""
    launches = [(parsed, call) for parsed in files for call in parsed.calls if is_launch(call, wanted.kernel)]
    if len(launches) != 1:
        raise Refused(f"{wanted.kernel} has {len(launches)} launches in the source, not one")
    parsed, call = launches[0]
    tensor = certainly_passed(definition, call, strides.tensor)
    if tensor is None:
        raise Refused(f"which argument of {parsed.place(call)} is {strides.tensor} is not known")
    if _NAME in names_in(parsed.module):
        raise Refused(f"{parsed.place(call)}: the file has a {_NAME} of its own")
    warps = next((each.value for each in call.args if each.keyword and each.keyword.value == NUM_WARPS), None)
    early = all(_is_known_early(parsed, each) for each in (tensor, warps) if each is not None)
    use, module = _use(files, parsed, definition, call, wanted, early=early)
    block = ", ".join(map(str, strides.shape))
    words = [parsed.code(tensor), f"({block})", str(num_warps) if warps is None else parsed.code(warps)]
    words += [] if lanes == _USUAL_LANES else [f"lanes={lanes}"]
    made = parsed.replaced(use, f"{_NAME}({', '.join(words)})")
    return {parsed.file: (made, *_defined(parsed, module))}


def _use(
    files: Sequence[Parsed],
    parsed: Parsed,
    definition: cst.FunctionDef,
    call: cst.Call,
    wanted: Wanted,
    *,
    early: bool,
) -> tuple[cst.BaseExpression, str]:
    """What is replaced, and what Gluon's module is called there.

    The expression that makes the layout, where it stands in the launch's own function and `early` says that all it
    then needs is known there; else the launch's argument.
    """
    found = {
        id(origin.node): origin
        for value in passed(definition, call, wanted.parameter)
        for origin in origins(files, parsed, value)
        if match(origin.parsed, origin.node, wanted.old, wanted.new) is not None
    }
    if len(found) != 1:
        raise Refused(f"where {wanted.parameter} of {parsed.place(call)} is made is not known")
    (origin,) = found.values()
    inner = unwrapped(origin.node)
    module = prefix(origin.parsed, inner) if isinstance(inner, cst.Call) else ""
    beside = origin.parsed is parsed and _function(parsed, origin.node) is _function(parsed, call)
    return (origin.node if beside and early and not origin.is_shared else origin.use), module


def _is_known_early(parsed: Parsed, node: cst.BaseExpression) -> bool:
    """Whether a launch's argument is known on its function's first line: a parameter, or the module's."""
    if not isinstance(node, cst.Name):
        return isinstance(node, cst.Integer)
    found = [each for each in parsed.assignments(node) if isinstance(each, m.Assignment)]
    return bool(found) and all(
        isinstance(each.node, cst.Param) or isinstance(each.scope, m.GlobalScope) for each in found
    )


def _function(parsed: Parsed, node: cst.CSTNode) -> cst.FunctionDef | None:
    while not isinstance(node, cst.Module):
        node = parsed.parent(node)
        if isinstance(node, cst.FunctionDef):
            return node
    return None


def _defined(parsed: Parsed, module: str) -> Iterator[Edit]:
    """The function above the file's first one, and what it needs."""
    body = parsed.module.body
    first = next((each for each in body if isinstance(each, cst.FunctionDef | cst.ClassDef)), body[0])
    start = min(parsed.span(each)[0] for each in (first, *_decorators(first)))
    yield Edit(start, start, f"{LAYOUT_FOR.replace('gl.', module)}\n\n")
    imported = {parsed.code(alias.name) for each in nodes(parsed.module, cst.Import) for alias in each.names}
    if "math" not in imported:
        at = next((parsed.span(each)[0] for each in body if _is_import(each)), None)
        if at is None or at >= start:
            raise Refused("the file has no imports above its functions")
        own = parsed.data[at:].split(maxsplit=2)[1].decode().partition(".")[0]
        yield Edit(at, at, "import math\n" if own in sys.stdlib_module_names else "import math\n\n")


def _decorators(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    return node.decorators if isinstance(node, cst.FunctionDef | cst.ClassDef) else ()


def _is_import(statement: cst.CSTNode) -> bool:
    """An import that another may stand before: all but those from `__future__`."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    only = statement.body[0]
    future = (
        isinstance(only, cst.ImportFrom)
        and isinstance(only.module, cst.Name)
        and only.module.value == "__future__"
    )
    return isinstance(only, cst.Import | cst.ImportFrom) and not future
