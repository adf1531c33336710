"""A layout derived from strides: the function above the file's first, the call where the layout was."""

from __future__ import annotations

import pytest

from gluon_inspect.fixing.derived import LAYOUT_FOR, derived_anew
from gluon_inspect.fixing.edits import Refused, changed
from gluon_inspect.fixing.launches import Wanted
from gluon_inspect.fixing.parsed import Parsed
from gluon_inspect.model.explanation import FromStrides

OLD, NEW = "BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])", "BlockedLayout([4, 1], [32, 1], [1, 4], [0, 1])"
HEAD = "import torch\nfrom triton.experimental.gluon import language as ttgl\n\n\n"
KERNEL = "@gluon.jit\ndef kernel(src, dst, layout: ttgl.constexpr):\n    pass\n\n\n"
LAUNCH = f"def run(x, y):\n    layout = ttgl.{OLD}\n    kernel[(1,)](x, y, layout, num_warps=4)\n"


def derived(text: str, lanes: int = 32) -> str:
    parsed = Parsed("kernels.py", text)
    definition = next(each for each in parsed.functions if each.name.value == "kernel")
    wanted = Wanted("kernel", "layout", OLD, NEW)
    edits = derived_anew([parsed], definition, wanted, FromStrides("src", (64, 32)), 4, lanes)
    return changed({"kernels.py": text}, edits)["kernels.py"]


def test_the_layout_is_made_of_the_tensor_that_is_passed():
    function = LAYOUT_FOR.replace("gl.", "ttgl.")
    launch = LAUNCH.replace(f"ttgl.{OLD}", "layout_for(x, (64, 32), 4)")
    assert derived(HEAD + KERNEL + LAUNCH) == f"import math\n\n{HEAD}{function}\n\n{KERNEL}{launch}"


def test_what_is_imported_is_not_imported_again_and_a_wave_has_its_lanes():
    text = f"import math\n{HEAD}{KERNEL}{LAUNCH}"
    assert derived(text, 64).count("import math") == 1
    assert "layout_for(x, (64, 32), 4, lanes=64)" in derived(text, 64)


def test_a_tensor_that_is_made_in_between_is_used_in_the_launch():
    text = (
        HEAD + KERNEL + LAUNCH.replace("    kernel[", "    z = x.T\n    kernel[").replace("(x, y, l", "(z, y, l")
    )
    assert "    kernel[(1,)](z, y, layout_for(z, (64, 32), 4), num_warps=4)\n" in derived(text)
    assert f"    layout = ttgl.{OLD}\n" in derived(text)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "    kernel[(1,)]",
            "    kernel[(2,)](y, x, layout)\n    kernel[(1,)]",
            "kernel has 2 launches in the source, not one",
        ),
        ("(x, y, layout", "(*both, layout", "which argument of kernels.py:12 is src is not known"),
        ("def run(x, y)", "def layout_for(x, y)", "kernels.py:12: the file has a layout_for of its own"),
        ("[1, 32]", "[2, 16]", "where layout of kernels.py:12 is made is not known"),
        (HEAD, "\n\n\n\n", "the file has no imports above its functions"),
    ],
)
def test_what_is_not_certain_is_refused_with_its_reason(old: str, new: str, why: str):
    text = HEAD + KERNEL + LAUNCH
    assert old in text
    with pytest.raises(Refused) as raised:
        derived(text.replace(old, new, 1))
    assert raised.value.message == why
