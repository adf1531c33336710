from pathlib import Path

from gluon_inspect.assembly.amdgcn import parse_amdgcn
from gluon_inspect.assembly.counts import author_line, count_by_line, count_static, lines_of_kind
from gluon_inspect.assembly.isa import InstructionKind
from gluon_inspect.assembly.ptx import lines_of, parse_ptx
from gluon_inspect.assembly.sass import located_by_ptx, parse_sass
from gluon_inspect.model.location import Location

DATA = Path(__file__).parents[1] / "data" / "asm"


def read(name):
    return (DATA / name).read_text()


def helper():
    return located_by_ptx(parse_sass(read("helper.gi.gp.sass")), lines_of(parse_ptx(read("helper.ptx"))))


def test_memory_by_width_and_the_rest_by_root():
    counts = count_static(helper(), "helper")
    assert counts["LDG.E.128"] == counts["STG.E.128"] == 1
    assert counts["SHFL"] == read("helper.gi.gp.sass").count("SHFL.")
    assert "NOP" not in counts
    assert list(counts.values()) == sorted(counts.values(), reverse=True)


def test_dummies_and_padding_do_not_count():
    text = "Function:k\n--:-:-:-:1\t@!PT LDS RZ, [RZ];\n--:-:-:-:1\tLDS R1, [R2];\n--:-:-:Y:0\tNOP;\n"
    assert count_static(parse_sass(text)) == {"LDS": 1}


def test_lines_are_the_authors():
    lines = {line.location.line: line.counts for line in count_by_line(helper(), "helper") if line.location}
    assert lines[9]["LDG.E.128"] == 1
    assert lines[16]["SHFL"] == count_static(helper())["SHFL"]
    assert {line.location.file for line in count_by_line(helper()) if line.location} == {"kernels.py"}


def test_every_instruction_is_on_some_line():
    by_line = count_by_line(helper(), "helper")
    assert sum(sum(line.counts.values()) for line in by_line) == sum(count_static(helper(), "helper").values())


def test_called_functions_count_and_other_kernels_do_not():
    assert count_static(parse_amdgcn(read("outlined.gfx942.amdgcn")), "outlined")["global_load_dword"] == 1
    both = "\n".join(
        f"\t.type {name},@function\n{name}:\n\t{load} v0, v[0:1], off\n.Lfunc_end0:\n\t.amdhsa_kernel {name}"
        for name, load in (("a", "global_load_dword"), ("b", "global_load_ubyte"))
    )
    assert count_static(parse_amdgcn(both), "a") == {"global_load_dword": 1}
    assert count_static(parse_amdgcn(both)) == {"global_load_dword": 1, "global_load_ubyte": 1}


def test_lines_of_one_kind():
    lines = lines_of_kind(helper(), InstructionKind.GLOBAL, "helper")
    assert {place.line: count for place, count in lines.items()} == {9: 1, 16: 1}


def test_the_author_of_a_chain():
    library = Location("/x/site-packages/triton/language/standard.py", 5)
    mine, other = Location("/home/me/kernels.py", 7), Location("/home/me/helpers.py", 3)
    chain = Location(library.file, library.line, callers=(other, mine))
    assert author_line(chain) == other
    assert author_line(chain, "/home/me/kernels.py") == mine
    assert author_line(library) == library
