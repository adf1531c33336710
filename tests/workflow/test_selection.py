from __future__ import annotations

import pytest

from gluon_inspect.errors import ParseError
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.workflow.inspection import Outcome
from gluon_inspect.workflow.selection import NoSuchKernel, chosen, merged
from tests.report import samples

CAPTURE = Capture("k.py", tuple(CompiledKernel(name, "cuda:90") for name in ("copy_1d", "copy_2d", "matmul")))


@pytest.mark.parametrize(
    ("patterns", "names"),
    [((), ["copy_1d", "copy_2d", "matmul"]), (("copy_*",), ["copy_1d", "copy_2d"]), (("matmul", "x"), ["matmul"])],
)
def test_patterns_keep_kernels_in_order(patterns: tuple[str, ...], names: list[str]):
    assert [kernel.name for kernel in chosen(CAPTURE, patterns).kernels] == names


def test_a_name_that_fits_nothing_names_what_there_is():
    with pytest.raises(NoSuchKernel, match="copy_1d, copy_2d, matmul"):
        chosen(CAPTURE, ("softmax",))


def test_of_many_names_those_come_first_that_look_alike():
    many = Capture("cache", tuple(CompiledKernel(f"kernel{number}", "cuda:90") for number in range(500)))
    with pytest.raises(NoSuchKernel) as caught:
        chosen(many, ("kernel_417",))
    assert caught.value.hint.startswith("there are: kernel417, ")
    assert caught.value.hint.endswith(", 480 more")


def test_merging_keeps_order_and_every_error():
    report = merged([samples.broken(), samples.ordinary(), samples.broken()])
    assert [kernel.name for kernel in report.kernels] == ["bad", "copy_2d", "clean", "bad"]
    assert report.error == samples.broken().error
    assert report.notes == ("one note", "bad.py:9: ValueError: no")
    assert report.origin == "bad.py, copy_2d.py"


def test_an_input_without_the_kernel_is_no_failure_if_another_has_it():
    outcome = Outcome([NoSuchKernel("none here"), samples.ordinary()])
    assert outcome.failures == ()
    assert Outcome([NoSuchKernel("none here")]).failures != ()


def test_an_unreadable_input_leaves_the_others_standing():
    outcome = Outcome([ParseError("truncated"), samples.ordinary()])
    assert [kernel.name for kernel in outcome.report().kernels] == ["copy_2d", "clean"]
    assert [failure.message for failure in outcome.failures] == ["truncated"]


def test_the_first_failure_is_raised_when_nothing_could_be_read():
    with pytest.raises(ParseError, match="truncated"):
        Outcome([ParseError("truncated"), ParseError("second")]).report()
