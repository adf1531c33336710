"""The kernels of ../data/shared as captures, with plain arguments, and their reports."""

from functools import cache
from pathlib import Path

from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch, TensorArgument
from gluon_inspect.model.location import Location
from gluon_inspect.pipeline import inspect

DATA = Path(__file__).resolve().parents[1] / "data" / "shared"
SOURCE = (DATA / "kernels.py").read_text().splitlines()


def text_of(name):
    return (DATA / f"{name}.ttgir").read_text()


@cache
def module_of(name):
    return parse_mlir(text_of(name))


def tensor(dtype, position):
    return TensorArgument(dtype, (1 << 20,), (1,), (position + 1) << 36)


ARGUMENTS = {
    "transposed_half": {"src": tensor("float16", 0), "dst": tensor("float16", 1)},
    "small_dot": {"a": tensor("float64", 0), "b": tensor("float64", 1), "c": tensor("float64", 2)},
    "column_sum": {"src": tensor("float32", 0), "dst": tensor("float32", 1)},
    "transposed_tile": {"src": tensor("float16", 0), "dst": tensor("float16", 1)},
    "tall_sum": {"src": tensor("float32", 0), "dst": tensor("float32", 1)},
    "column_sums": {"src": tensor("float32", 0), "dst": tensor("float32", 1), "n": 72},
    "operand_in_pieces": {
        "src": tensor("float16", 0),
        "other": tensor("float16", 1),
        "dst": tensor("float32", 2),
    },
    "wide_transpose": {"src": tensor("float32", 0), "dst": tensor("float32", 1)},
    "converted_copy": {"src": tensor("float32", 0), "dst": tensor("float32", 1)},
    "odd_padding": {"src": tensor("float32", 0), "dst": tensor("float32", 1)},
    "narrow_copy": {"src": tensor("float16", 0), "dst": tensor("float16", 1), "stride": 72},
}


def capture_of(name, text=None):
    launch = Launch("0", 1, (1, 1, 1), ARGUMENTS[name])
    kernel = CompiledKernel(name, "cuda:90", "3.6.0", {"ttgir": text or text_of(name)}, launches=(launch,))
    return Capture("test", (kernel,))


@cache
def report_of(name):
    return inspect(capture_of(name)).kernels[0]


def findings(name, rule):
    return [finding for finding in report_of(name).findings if finding.rule == rule]


def shared(name):
    return [access for access in report_of(name).accesses if access.space.value == "shared"]


def author_line(location: Location):
    """The source line that a location points at."""
    return SOURCE[location.line - 1].strip()
