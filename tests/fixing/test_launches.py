"""Where a launch's value is written, and what is said where that is not certain."""

from __future__ import annotations

import pytest

from gluon_inspect.fixing.edits import Refused, changed
from gluon_inspect.fixing.launches import Wanted, passed_anew
from gluon_inspect.fixing.parsed import Parsed

KERNEL = "@triton.jit\ndef kernel(src, dst, n, BLOCK: tl.constexpr, layout=None):\n    pass\n\n"


def fixed(script: str, parameter: str = "BLOCK", old: str = "64", new: str = "128", **files: str) -> str:
    """The script's text below the kernel, and those of other files, as they become."""
    texts = {"kernels.py": KERNEL + script, **{f"{name}.py": text for name, text in files.items()}}
    parsed = [Parsed(file, text) for file, text in texts.items()]
    wanted = Wanted("kernel", parameter, old, new, everywhere=parameter == "BLOCK")
    after = {**texts, **changed(texts, passed_anew(parsed, parsed[0].functions[0], wanted))}
    return "".join(after.values()).removeprefix(KERNEL)


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("kernel[(1,)](s, d, 9, 64)\n", "kernel[(1,)](s, d, 9, 128)\n"),
        ("m.kernel[(64,)](s, d, n=64, BLOCK=64)\n", "m.kernel[(64,)](s, d, n=64, BLOCK=128)\n"),
        ("B = 64\nkernel[(n // B,)](s, d, n, B)\n", "B = 128\nkernel[(n // B,)](s, d, n, B)\n"),
        ("A, B = 64, 64\nkernel[(1,)](s, d, A, B)\n", "A, B = 64, 128\nkernel[(1,)](s, d, A, B)\n"),
        (
            "def run(x, B=64):\n    kernel[(1,)](x, x, 9, BLOCK=B)\nrun(x)\n",
            "def run(x, B=128):\n    kernel[(1,)](x, x, 9, BLOCK=B)\nrun(x)\n",
        ),
        (
            "def run(x, B):\n    kernel[(1,)](x, x, 9, BLOCK=B)\nrun(x, 64)\n",
            "def run(x, B):\n    kernel[(1,)](x, x, 9, BLOCK=B)\nrun(x, 128)\n",
        ),
        (
            "kernel[(1,)](s, d, 9, 32)\nkernel[(1,)](s, d, 9, 64)\n",
            "kernel[(1,)](s, d, 9, 32)\nkernel[(1,)](s, d, 9, 128)\n",
        ),
        ("B = tl.constexpr(64)\nkernel[(1,)](s, d, 9, B)\n", "B = tl.constexpr(128)\nkernel[(1,)](s, d, 9, B)\n"),
    ],
)
def test_a_number_is_changed_where_it_is_written(script: str, wanted: str):
    assert fixed(script) == wanted


def test_a_wrapper_in_another_file_is_followed():
    wrapper = "def run(x, B):\n    kernel[(1,)](x, x, 9, B)\n"
    assert fixed(wrapper, caller="run(x, B=64)\n") == wrapper + "run(x, B=128)\n"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("print(kernel)\n", "no launch of kernel was found"),
        (
            "kernel[(1,)](s, d, 9, tl.next_power_of_2(n))\n",
            "BLOCK of kernel is not written as 64: it comes from `tl.next_power_of_2(n)` at kernels.py:5",
        ),
        (
            "kernel[(1,)](*tensors, 64)\n",
            "what BLOCK of kernel is cannot be followed from its launch (kernels.py:5)",
        ),
        (
            "kernel[(1,)](s, d, *rest)\n",
            "what BLOCK of kernel is cannot be followed from its launch (kernels.py:5)",
        ),
        (
            "for B in (32, 64):\n    kernel[(1,)](s, d, 9, B)\n",
            "what BLOCK of kernel is cannot be followed from its launch (kernels.py:6)",
        ),
        (
            "kernel[(1,)](s, d, 9, 64)\nkernel[(2,)](s, d, 9, 64)\n",
            "BLOCK of kernel may come from 2 places; which one is not known: kernels.py:5, kernels.py:6",
        ),
    ],
)
def test_what_is_not_certain_is_refused_with_its_reason(script: str, why: str):
    with pytest.raises(Refused) as raised:
        fixed(script)
    assert raised.value.message == why


OLD, NEW = "BlockedLayout([1], [32], [4], [0])", "BlockedLayout([4], [32], [4], [0])"


def test_a_layout_is_found_behind_a_star():
    script = "kernel[(1,)](*tensors, gl.BlockedLayout([1], [32], [4], [0]), *more)\n"
    assert fixed(script, "layout", OLD, NEW) == script.replace("[1], [32]", "[4], [32]")


def test_a_layout_that_others_read_is_changed_in_the_launch_alone():
    script = "L = gl.BlockedLayout([1], [32], [4], [0])\nkernel[(1,)](s, d, 9, 64, L)\nother[(1,)](L)\n"
    assert fixed(script, "layout", OLD, NEW) == script.replace("64, L)", f"64, gl.{NEW})")


def test_a_layout_that_several_launches_take_from_one_place_is_left():
    script = "L = gl.BlockedLayout([1], [32], [4], [0])\n" + "kernel[(1,)](s, d, 9, 64, L)\n" * 2
    with pytest.raises(Refused) as raised:
        fixed(script, "layout", OLD, NEW)
    assert raised.value.message == "layout of kernel is passed by several launches: kernels.py:6, kernels.py:7"


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("kernel[(1,)](s, d, 9, 64)\n", "kernel[(1,)](s, d, 9, 64, num_warps=8)\n"),
        ("kernel[(1,)](s, d, 9, BLOCK=64, num_warps=4)\n", "kernel[(1,)](s, d, 9, BLOCK=64, num_warps=8)\n"),
        ("kernel[(1,)](\n    s,\n    64,\n)\n", "kernel[(1,)](\n    s,\n    64, num_warps=8,\n)\n"),
    ],
)
def test_warps_are_changed_or_added(script: str, wanted: str):
    assert fixed(script, "num_warps", "4", "8") == wanted
