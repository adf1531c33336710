from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.assembly.ptx import looks_like_ptx, parse_ptx
from gluon_inspect.errors import ParseError

DATA = Path(__file__).parents[1] / "data" / "asm"
HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n"


def read(name):
    return (DATA / name).read_text()


def body(text):
    (function,) = parse_ptx(
        f"{HEAD}.visible .entry k(\n\t.param .u64 a\n)\n.reqntid 128\n{{\n{text}\n}}\n"
    ).functions
    return function


def test_a_whole_kernel():
    assembly = parse_ptx(read("helper.ptx"))
    assert assembly.metadata == {"architecture": "sm_90a"}
    (function,) = assembly.functions
    assert (function.name, function.metadata) == ("helper", {"threads": 128, "entry": 1})
    assert all(each.opcode for each in function.instructions)
    load = next(each for each in function.instructions if each.opcode == "ld.global.v4.b32")
    assert load.operands == ("{ %r1, %r2, %r3, %r4 }", "[ %rd1 + 0 ]")


def test_only_the_first_line_of_inline_assembly_is_true():
    (function,) = parse_ptx(read("helper.ptx")).functions
    load = next(each for each in function.instructions if each.opcode == "ld.global.v4.b32")
    assert [(place.file, place.line, place.column) for place in load.location.chain] == [
        ("kernels.py", 9, 12),
        ("kernels.py", 15, 13),
    ]
    moves = function.instructions[function.instructions.index(load) - 4 :][:4]
    assert {each.location.line for each in moves} == {9}


def test_nested_call_sites_are_resolved():
    (function,) = parse_ptx(read("helper.ptx")).functions
    add = next(each for each in function.instructions if each.location and len(each.location.chain) == 3)
    assert [place.line for place in add.location.chain] == [287, 314, 16]


def test_two_functions():
    functions = parse_ptx(read("outlined.ptx")).functions
    assert [function.name for function in functions] == ["outlined", functions[1].name]
    assert "bump" in functions[1].name
    assert any(each.opcode == "call.uni" for each in functions[0].instructions)


def test_predicates_braces_labels_and_shared_lines():
    function = body(
        "\t@!%p1 bra.uni \t$L__BB0_2;\n$L__BB0_1: mov.u32 %r1, 0; { .reg .pred complete;\nwaitLoop:\n"
        "@%p2 ld.global.v4.b32 { %r1,\n %r2, %r3, %r4 }, [ %rd1 + 0 ];\n@!complete bra.uni waitLoop;\n}\n"
        "$L__BB0_2:\n\tret;"
    )
    assert [each.opcode for each in function.instructions] == [
        "bra.uni", "mov.u32", "ld.global.v4.b32", "bra.uni", "ret",
    ]  # fmt: skip
    assert [each.predicate for each in function.instructions] == ["@!%p1", "", "@%p2", "@!complete", ""]
    assert function.labels == {"$L__BB0_1": 1, "waitLoop": 2, "$L__BB0_2": 4}
    assert function.instructions[2].operands == ("{ %r1, %r2, %r3, %r4 }", "[ %rd1 + 0 ]")


def test_state_spaces_are_no_labels():
    function = body("mbarrier.init.shared::cta.b64 [%r1], 1;")
    assert function.instructions[0].opcode == "mbarrier.init.shared::cta.b64"


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_a_cut_file_is_refused_with_a_position(cut):
    text = read("helper.ptx")
    end = text.index("\n}") * cut
    with pytest.raises(ParseError) as error:
        parse_ptx(text[: int(end)], "k.ptx")
    assert error.value.position.file == "k.ptx"


def test_declarations_alone_are_refused():
    with pytest.raises(ParseError, match="no PTX function"):
        parse_ptx(HEAD + ".extern .func f(.param .b32 a);\n")


@given(st.text(alphabet='.{}();:@%$ \n\tabc019,"', max_size=200))
def test_nothing_but_a_parse_error_comes_of_garbage(text):
    try:
        found = parse_ptx(HEAD + text).functions
    except ParseError as error:
        found = (error.position,)
    assert all(found)


def test_detection():
    assert looks_like_ptx(read("helper.ptx"))
    assert not looks_like_ptx(read("helper.g.sass"))
