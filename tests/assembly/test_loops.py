from gluon_inspect.assembly.amdgcn import parse_amdgcn
from gluon_inspect.assembly.loops import Loop, innermost_loops
from gluon_inspect.assembly.ptx import parse_ptx
from gluon_inspect.assembly.sass import parse_sass


def sass(*lines):
    return parse_sass("\n".join((".text.k:", *lines))).functions[0]


def test_labels_of_nvdisasm():
    function = sass(
        "/*0000*/ MOV R1, R2 ;", ".L_x_1:", "/*0010*/ FADD R1, R1, R2 ;", "/*0020*/ @!P0 BRA `(.L_x_2) ;",
        "/*0030*/ @P1 BRA `(.L_x_1) ;", ".L_x_2:", "/*0040*/ EXIT ;", ".L_x_3:", "/*0050*/ BRA `(.L_x_3);",
    )  # fmt: skip
    assert innermost_loops(function) == (Loop(1, 3),)


def test_addresses_of_cuobjdump():
    function = sass(
        "/*0000*/ MOV R1, R2 ;", "/*0010*/ FADD R1, R1, R2 ;", "/*0020*/ @P0 BRA 0x10 ;", "/*0030*/ EXIT ;"
    )
    assert innermost_loops(function) == (Loop(1, 2),)


def test_the_loop_inside_counts():
    text = (
        '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n\t.type k,@function\nk:\n.LBB0_1:\n\ts_nop 0\n.LBB0_2:\n'
        "\tv_nop_x v0\n\ts_cbranch_scc1 .LBB0_2\n\ts_branch .LBB0_1\n\ts_endpgm\n"
    )
    assert innermost_loops(parse_amdgcn(text).functions[0]) == (Loop(1, 2),)


def test_loops_of_ptx():
    text = (
        ".version 8.0\n.target sm_90\n.entry k()\n{\n$L1:\n add.s32 %r1, %r1, 1;\n @%p1 bra $L1;\n"
        " bra.uni $L2;\n$L2:\n ret;\n}\n"
    )
    assert innermost_loops(parse_ptx(text).functions[0]) == (Loop(0, 1),)
