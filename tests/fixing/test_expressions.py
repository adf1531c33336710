"""Which expressions have a value, and the least edit that gives them another."""

from __future__ import annotations

import libcst as cst
import pytest

from gluon_inspect.fixing.edits import applied
from gluon_inspect.fixing.expressions import match
from gluon_inspect.fixing.parsed import Parsed

OLD = (
    "BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[1, 32], warps_per_cta=[4, 1], order=[1, 0], "
    "cga_layout=[])"
)
NEW = "BlockedLayout([1, 4], [32, 1], [1, 4], [0, 1])"


def changed(expression: str, old: str = OLD, new: str = NEW, **known: str) -> str | None:
    text = f"x = {expression}\n"
    parsed = Parsed("a.py", text)
    (statement,) = parsed.module.body
    assert isinstance(statement, cst.SimpleStatementLine)
    (assign,) = statement.body
    assert isinstance(assign, cst.Assign)
    found = match(parsed, assign.value, old, new, known)
    return None if found is None else applied(text, found.edits)[4:-1]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])", "gl.BlockedLayout([1, 4], [32, 1], [1, 4], [0, 1])"),
        (
            "gl.BlockedLayout([1, V], [1, lanes], [NUM_WARPS, 1], [1, 0])",
            "gl.BlockedLayout([1, V], [lanes, 1], [1, NUM_WARPS], [0, 1])",
        ),
        (
            "BlockedLayout(\n  order=[1, 0],  # rows\n  size_per_thread=[1, 4], "
            "threads_per_warp=[1, 32], warps_per_cta=w)",
            "BlockedLayout(\n  order=[0, 1],  # rows\n  size_per_thread=[1, 4], "
            "threads_per_warp=[32, 1], warps_per_cta=[1, 4])",
        ),
        (
            "gl.constexpr(a.gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0], cga_layout=[]))",
            "gl.constexpr(a.gl.BlockedLayout([1, 4], [32, 1], [1, 4], [0, 1], cga_layout=[]))",
        ),
        ("gl.BlockedLayout([1, 2], [1, lanes], [4, 1], [1, 0])", None),
        ("gl.BlockedLayout([1, 4], [1, 32], [4, 1])", None),
        ("gl.BlockedLayout(*parts)", None),
        ("gl.SliceLayout(0, gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0]))", None),
        ("gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0], cga_layout=[[0, 1]])", None),
        ("64", None),
        ("layout", None),
    ],
)
def test_layouts(expression: str, wanted: str | None):
    assert changed(expression) == wanted


def test_a_known_name_decides():
    expression = "gl.BlockedLayout([1, 4], [1, 32], [W, 1], [1, 0])"
    assert changed(expression, W="8") is None
    assert changed(expression, W="4") == "gl.BlockedLayout([1, 4], [32, 1], [1, W], [0, 1])"


def test_a_layout_of_another_class_takes_its_place_with_the_module_in_front():
    old, new = "SwizzledSharedLayout(1, 1, 1, [1, 0])", "PaddedSharedLayout([[32, 4]], [[0, 1]], [], [1, 2])"
    assert changed("gl.SwizzledSharedLayout(1, 1, 1, order=[1, 0])", old, new) == f"gl.{new}"


def test_a_constructor_that_makes_the_same_is_replaced_as_a_whole():
    old = "NVMMASharedLayout(128, 16, 2)"
    new = "SwizzledSharedLayout(8, 1, 8, [1, 0])"
    expression = "gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)"
    assert changed(expression, old, new) == f"gl.{new}"


def test_a_padded_layout_is_known_by_how_it_is_written():
    old, new = "PaddedSharedLayout([[64, 8]], [], [], [64, 64])", "SwizzledSharedLayout(8, 4, 8, [1, 0])"
    expression = "gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])"
    assert changed(expression, old, new) == f"gl.{new}"
    assert changed(expression.replace("64, 8", "64, 4"), old, new) is None


def test_a_parent_changes_inside_its_slice():
    old, new = f"SliceLayout(0, {OLD})", f"SliceLayout(0, {NEW})"
    assert changed("gl.SliceLayout(0, gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0]))", old, new) == (
        "gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [0, 1]))"
    )


@pytest.mark.parametrize(("expression", "wanted"), [("64", "128"), ("0x40", "128"), ("65", None), ("n", None)])
def test_numbers(expression: str, wanted: str | None):
    assert changed(expression, "64", "128") == wanted
