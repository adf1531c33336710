from pathlib import Path

import pytest

from gluon_inspect.assembly.ptx import lines_of, parse_ptx
from gluon_inspect.assembly.sass import located_by_ptx, looks_like_sass, parse_sass
from gluon_inspect.errors import ParseError

DATA = Path(__file__).parents[1] / "data" / "asm"

TRITON = """Function:copy
--:-:0:-:1\tLDC R1, c[0x0][0x28];
02:-:-:Y:4\tIMAD.SHL.U32 R7, R7, 0x800, RZ;
--:1:2:-:1\t@!P5 LDG.E.128 R8, desc[UR4][R4.64+0x10];
--:-:-:-:1\tHGMMA.64x128x16.F32 R24, gdesc[UR8].tnspB, R24, !UPT, gsb0;
--:-:-:-:5\t@!UP0 UMOV UR4, 0x1;
LBB0:
--:-:-:Y:0\tBRA LBB0;
"""


def read(name):
    return (DATA / name).read_text()


def test_tritons_own_form():
    (function,) = parse_sass(TRITON).functions
    assert function.name == "copy"
    load = function.instructions[2]
    assert (load.opcode, load.root, load.predicate) == ("LDG.E.128", "LDG", "@!P5")
    assert load.operands == ("R8", "desc[UR4][R4.64+0x10]")
    assert (load.control, load.offset, load.location) == ("--:1:2:-:1", -1, None)
    assert load.text == "@!P5 LDG.E.128 R8, desc[UR4][R4.64+0x10]"
    assert function.instructions[4].predicate == "@!UP0"
    assert function.labels == {"LBB0": 5}


@pytest.mark.parametrize("name", ["helper.gi.gp.sass", "helper.g.sass", "helper.cuobjdump.sass"])
def test_three_listings_of_one_cubin_hold_the_same_instructions(name):
    (function,) = parse_sass(read(name)).functions
    assert function.name == "helper"
    assert [each.offset for each in function.instructions] == [16 * n for n in range(len(function.instructions))]
    opcodes = [each.opcode for each in function.instructions]
    assert opcodes == [each.opcode for each in parse_sass(read("helper.gi.gp.sass")).functions[0].instructions]
    assert len(opcodes) == read(name).count(";")
    assert opcodes.count("LDG.E.128") == opcodes.count("STG.E.128") == 1


def test_the_architecture_is_read():
    assert parse_sass(read("helper.cuobjdump.sass")).metadata == {"architecture": "sm_90a"}
    assert parse_sass(read("helper.g.sass")).metadata == {"architecture": "sm_90a"}


def test_call_site_chains():
    (function,) = parse_sass(read("helper.gi.gp.sass")).functions
    shuffle = next(each for each in function.instructions if each.root == "SHFL")
    assert [(place.file.rsplit("/")[-1], place.line) for place in shuffle.location.chain] == [
        ("standard.py", 314),
        ("kernels.py", 16),
    ]


def test_lines_without_chains():
    (function,) = parse_sass(read("helper.g.sass")).functions
    assert all(each.location and not each.location.callers for each in function.instructions)


def test_ptx_lines_mend_what_inline_assembly_broke():
    """The load stands on line 9; the cubin says 13, for the four lines of assembly before it."""
    sass, ptx = parse_sass(read("helper.gi.gp.sass")), parse_ptx(read("helper.ptx"))
    load = next(each for each in sass.functions[0].instructions if each.root == "LDG")
    assert load.location.line == 13
    mended = located_by_ptx(sass, lines_of(ptx))
    load = next(each for each in mended.functions[0].instructions if each.root == "LDG")
    assert [(place.line, place.column) for place in load.location.chain] == [(9, 12), (15, 13)]


def test_every_function_of_a_cubin():
    functions = parse_sass(read("outlined.gi.gp.sass")).functions
    assert functions[0].name == "outlined"
    assert "bump" in functions[1].name
    assert any(each.root == "CALL" for each in functions[0].instructions)
    assert any(each.root == "RET" for each in functions[1].instructions)
    assert not any(each.root == "RET" for each in functions[0].instructions)


def test_registers_where_the_listing_says():
    text = '\t.section\t.text.k,"ax",@progbits\n\t.sectioninfo\t@"SHI_REGISTERS=11"\n.text.k:\n /*0000*/ EXIT ;\n'
    (function,) = parse_sass(text).functions
    assert function.metadata == {"registers": 11}


def test_what_is_no_instruction_is_kept_opaque():
    (function,) = parse_sass(".text.k:\n        /*0000*/                   ??? ;\n  /*0010*/  EXIT ;\n").functions
    assert [(each.opcode, each.text) for each in function.instructions] == [("", "??? ;"), ("EXIT", "EXIT")]


@pytest.mark.parametrize("text", ["", "hello", "module {\n}", "\x7fELF\x02", "Function:empty\n"])
def test_other_text_is_refused(text):
    with pytest.raises(ParseError) as error:
        parse_sass(text, "k.sass")
    assert error.value.position is not None
    assert error.value.position.file == "k.sass"
    assert "cuobjdump" in error.value.hint


def test_detection():
    assert looks_like_sass(TRITON)
    assert all(looks_like_sass(read(name)) for name in ("helper.gi.gp.sass", "helper.cuobjdump.sass"))
    assert not looks_like_sass(read("helper.ptx"))
    assert not looks_like_sass(read("helper.gfx942.amdgcn"))


def test_control_codes_come_from_the_encoding():
    text = """
.text.k:
        /*0000*/                   S2R R17, SR_TID.X ;                          /* 0x0000000000117919 */
                                                                                /* 0x000e2e0000002100 */
        /*0010*/                   LDC R1, c[0x0][0x28] ;                       /* 0x00000a00ff017b82 */
                                                                                /* 0x000fe20000000800 */
        /*0020*/                   EXIT ;
"""
    instructions = parse_sass(text).functions[0].instructions
    assert [each.control for each in instructions] == ["--:-:0:-:7", "--:-:-:-:1", ""]


def test_control_words_of_older_targets_are_not_taken_for_encodings():
    text = """
.text.k:
        /*0018*/                   MOV R1, c[0x0][0x20] ;                       /* 0x4c98078000870001 */
                                                                                /* 0x001fc400fe2007f6 */
"""
    assert parse_sass(text).functions[0].instructions[0].control == ""
