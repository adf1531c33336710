"""A conversion put into a kernel: the author's text stays, what is not certain is refused with its reason."""

from __future__ import annotations

import pytest

from gluon_inspect.fixing.conversion import converted
from gluon_inspect.fixing.edits import Refused, applied
from gluon_inspect.fixing.parsed import Parsed

KERNEL = '''
from triton.experimental.gluon import language as gl

def kernel(src, dst, n, layout: gl.constexpr):
    """Text."""
    row = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))  # rows
    column = gl.arange(0, 64,  layout=gl.SliceLayout(0, layout))
    inside = row[:, None] < n
    value = gl.load(src + row[:, None] * 64 + column[None, :])
    gl.store(dst + row[:, None] + column[None, :] * 64, value + 1, mask=inside)  # done
'''
LAYOUTS = ("BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])", "BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])")


def patched(text: str) -> str:
    parsed = Parsed("kernels.py", text)
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "store(" in each)
    return applied(text, converted(parsed, parsed.functions[0], line, "layout", LAYOUTS))


def test_addresses_and_mask_are_made_anew_for_the_store():
    assert patched(KERNEL).splitlines()[5:] == [
        "    load_layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])",
        "    store_layout: gl.constexpr = gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])",
        "    row = gl.arange(0, 64, layout=gl.SliceLayout(1, load_layout))  # rows",
        "    column = gl.arange(0, 64,  layout=gl.SliceLayout(0, load_layout))",
        "    inside = row[:, None] < n",
        "    value = gl.load(src + row[:, None] * 64 + column[None, :])",
        "    row_to_store = gl.arange(0, 64, layout=gl.SliceLayout(1, store_layout))",
        "    column_to_store = gl.arange(0, 64,  layout=gl.SliceLayout(0, store_layout))",
        "    inside_to_store = row_to_store[:, None] < n",
        "    gl.store(dst + row_to_store[:, None] + column_to_store[None, :] * 64, "
        "gl.convert_layout(value + 1, store_layout), mask=inside_to_store)  # done",
    ]


def test_a_value_that_has_the_layout_keeps_that_of_the_loads():
    text = KERNEL.replace("value + 1, mask", "gl.full([64, 64], 1, gl.float32, layout) + value, mask")
    assert "gl.convert_layout(gl.full([64, 64], 1, gl.float32, load_layout) + value, store_layout)" in patched(
        text
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("    inside =", "    row = row + 1\n    inside =", "row is assigned more than once (kernels.py:8)"),
        ("column[None, :] * 64, value", "value, value", "the store's address is loaded (kernels.py:9)"),
        (
            "    inside =",
            "    if n:\n        row = row\n    inside =",
            "the store's address is not computed by plain assignments (kernels.py:8)",
        ),
        (
            "    inside =",
            "    store_layout = 1\n    inside =",
            "kernel has names of its own that the change would bring: store_layout",
        ),
        (
            "    inside =",
            "    row += 1\n    inside =",
            "the store's address is not computed by plain assignments (kernels.py:8)",
        ),
        (
            "    gl.store",
            "    for _ in range(2):\n        gl.store",
            "the store at line 11 is no statement of kernel's own body",
        ),
        (
            "from triton.experimental.gluon import language as gl",
            "gl = language()",
            "the file of kernel does not import triton.experimental.gluon.language under a name",
        ),
    ],
)
def test_what_is_not_certain_to_mean_the_same_is_left_alone(old: str, new: str, why: str):
    assert old in KERNEL
    with pytest.raises(Refused) as raised:
        patched(KERNEL.replace(old, new, 1))
    assert raised.value.message == why
