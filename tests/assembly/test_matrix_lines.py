"""Hopper's matrix instructions stand at their MMAs' lines, whatever was scheduled before them."""

from gluon_inspect.assembly.binary import read_binary
from gluon_inspect.model.artifact import CompiledKernel

_HEAD = '.version 8.7\n.target sm_90a\n.file 1 "k.py"\n.visible .entry k()\n{\n'


def ptx(*rows):
    """(line, wgmma's shape) of each matrix instruction."""
    body = (
        f".loc 1 {line} 4\nwgmma.mma_async.sync.aligned.{shape}.f32.f16.f16 {{%r1}}, %rd1, %rd2, 1;\n"
        for line, shape in rows
    )
    return _HEAD + "".join(body) + ".loc 1 40 4\nadd.s32 %r1, %r1, 64;\n}\n"


def sass(*shapes):
    """None with a row of its own: all behind the addition of a loop's counter."""
    body = (
        f"        /*{16 * i:04x}*/  HGMMA.{shape}.F32 R24, gdesc[UR16], R24 ;\n"
        for i, shape in enumerate(shapes, 1)
    )
    return '.text.k:\n\t//## File "k.py", line 40\n        /*0000*/  UIADD3 UR10, UR10, 0x40, URZ ;\n' + "".join(
        body
    )


def lines(sass_text, ptx_text):
    kernel = CompiledKernel("k", "cuda:90", stages={"sass": sass_text, "ptx": ptx_text})
    (function,) = read_binary(kernel).assembly.functions
    return [each.location and each.location.line for each in function.instructions]


def test_one_place_for_all_of_a_shape():
    text = sass("64x128x16", "64x128x16", "64x64x16")
    assert lines(text, ptx((49, "m64n128k16"), (52, "m64n64k16"))) == [40, 49, 49, 52]


def test_in_order_where_there_are_as_many():
    text = sass("64x128x16", "64x128x16")
    assert lines(text, ptx((49, "m64n128k16"), (52, "m64n128k16"))) == [40, 49, 52]


def test_no_place_rather_than_a_wrong_one():
    text = sass("64x128x16", "64x128x16", "64x128x16", "64x256x16")
    assert lines(text, ptx((49, "m64n128k16"), (52, "m64n128k16"))) == [40, None, None, None, None]
