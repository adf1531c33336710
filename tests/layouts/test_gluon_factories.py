import importlib.util
from itertools import product

import pytest

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.gluon_factories import dtype_bits
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model import encodings as e
from tests.layouts.oracle import Oracle

needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")


@needs_triton
def test_default_tma_layouts_are_gluons():
    oracle = Oracle()
    for rows, columns, (bits, dtype), flag in product(
        (1, 8, 64), (16, 32, 256), ((8, "int8"), (16, "float16")), ("", ", transposed=True")
    ):
        text = f"NVMMASharedLayout.get_default_for([{rows}, {columns}], gl.{dtype}{flag})"
        found = read_layout(text)
        assert isinstance(found, e.NvmmaSharedEncoding)
        assert found.element_bits == bits
        assert oracle.default_swizzle(text) == found.swizzle_bytes, text
    oracle.close()


def test_identity_padding_walks_along_the_order():
    found = read_layout("gl.PaddedSharedLayout.with_identity_for([[8, 4]], [2, 8], order=[1, 0])")
    assert linear_layout(found, (2, 8)).bases["offset"] == ((0, 1), (0, 2), (0, 4), (1, 0))
    assert isinstance(found, e.PaddedSharedEncoding)
    assert found.intervals_pads == ((8, 4),)


@pytest.mark.parametrize(
    ("name", "bits"), [("float16", 16), ("bfloat16", 16), ("int8", 8), ("float8e4nv", 8), ("floor", None)]
)
def test_bits_of_dtypes_by_name(name, bits):
    assert dtype_bits(name) == bits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NVMMASharedLayout.get_default_for([8, 64])", "lacks dtype"),
        ("NVMMASharedLayout.get_default_for(8, float16)", "list of integers"),
        ("NVMMASharedLayout.get_default_for([8, 64], float16, speed=1)", "no parameter speed"),
        ("PaddedSharedLayout.with_identity_for([[8, 4]], [2, 8], [1, 1])", "each dimension once"),
    ],
)
def test_wrong_arguments_say_so(text, message):
    with pytest.raises(LayoutError, match=message):
        linear_layout(read_layout(text), (2, 8))
