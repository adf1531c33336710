"""Accesses against instructions by line: every way that LLVM may have changed them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.assembly.amdgcn import parse_amdgcn
from gluon_inspect.assembly.line_match import Verdict, compare, match_lines, two_address_lines
from gluon_inspect.model.access import Access, Direction, Space, Width
from gluon_inspect.model.location import Location

WIDTHS = st.dictionaries(st.sampled_from((8, 16, 32, 64, 128)), st.integers(1, 16), min_size=1)


@pytest.mark.parametrize(
    ("parts", "found", "verdict"),
    [
        ([{128: 2}], {128: 2}, Verdict.EQUAL),
        ([{128: 2}, {128: 2}], {128: 6}, Verdict.COPIES),
        ([{64: 4, 32: 8}, {64: 4, 32: 8}], {64: 12, 32: 24}, Verdict.COPIES),
        ([{32: 4}], {128: 1}, Verdict.JOINED),
        ([{32: 4}], {32: 2, 64: 1}, Verdict.JOINED),
        ([{128: 1}], {32: 4}, Verdict.SPLIT),
        ([{64: 3}], {32: 2, 128: 1}, Verdict.REGROUPED),
        ([{128: 2}], {128: 1}, Verdict.MERGED),
        ([{128: 2}], {128: 2, 32: 1}, Verdict.MORE),
        ([{128: 2}, {64: 2}], {128: 3, 64: 3}, Verdict.MORE),
    ],
)
def test_verdicts(parts, found, verdict):
    assert compare(parts, found) is verdict


@given(WIDTHS, st.integers(2, 9))
def test_a_multiple_of_one_access_is_copies(widths, times):
    assert compare([widths], widths) is Verdict.EQUAL
    assert compare([widths], {bits: count * times for bits, count in widths.items()}) is Verdict.COPIES


@given(WIDTHS, WIDTHS)
def test_fewer_bytes_are_never_called_as_predicted(predicted, found):
    def moved(widths):
        return sum(bits * count for bits, count in widths.items())

    verdict = compare([predicted], found)
    assert (verdict is Verdict.MERGED) == (moved(found) < moved(predicted))
    assert (verdict is Verdict.EQUAL) == (predicted == found)


def assembly(*lines):
    body = "\n".join(line if line.startswith(".") else f"\t{line}" for line in lines)
    return parse_amdgcn(
        f'\t.amdgcn_target "x-gfx942"\n\t.file\t1 "k.py"\n\t.type k,@function\nk:\n{body}\n\ts_endpgm\n'
    )


def access(line, space, direction, bits, count, shape=(64,)):
    return Access("a", "tt.load", space, direction, Location("k.py", line), shape=shape, requests=1,
                  widths=(Width(bits, count),))  # fmt: skip


def verdict(found, wanted):
    return match_lines(found, "k", "k.py", [wanted])[0].verdict


def test_two_address_instructions_are_two_accesses():
    found = assembly("\t.loc 1 7 1", "ds_read2_b64 v[0:3], v4 offset1:1", "ds_read2st64_b64 v[4:7], v4 offset1:1")
    assert verdict(found, access(7, Space.SHARED, Direction.LOAD, 64, 4)) is Verdict.EQUAL


def test_instructions_of_another_line_are_no_match_but_are_told():
    found = assembly("\t.loc 1 8 1", "global_load_dword v0, v[2:3], off")
    assert verdict(found, access(7, Space.GLOBAL, Direction.LOAD, 32, 1)) is Verdict.ELSEWHERE
    assert verdict(found, access(7, Space.GLOBAL, Direction.STORE, 32, 1)) is Verdict.MISSING


def test_instructions_without_a_line_complete_those_with_one():
    one = "global_load_dword v0, v[2:3], off"
    found = assembly("\t.loc 1 7 1", one, "\t.loc 1 0 0", one)
    assert verdict(found, access(7, Space.GLOBAL, Direction.LOAD, 32, 2)) is Verdict.UNLINED
    assert verdict(found, access(7, Space.GLOBAL, Direction.LOAD, 32, 3)) is Verdict.MERGED


def test_a_uniform_scalar_goes_to_the_scalar_unit():
    found = assembly("\t.loc 1 7 1", "s_load_dword s0, s[2:3], 0x0")
    assert verdict(found, access(7, Space.GLOBAL, Direction.LOAD, 32, 1, shape=())) is Verdict.SCALAR
    assert verdict(found, access(7, Space.GLOBAL, Direction.LOAD, 32, 1)) is Verdict.MISSING


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (["ds_read2_b64 v[0:3], v4 offset1:1"], True),
        (["ds_load_2addr_b64 v[0:3], v4 offset1:1", "ds_read_b64 v[4:5], v6"], True),
        (
            [
                "ds_read_b64 v[0:1], v4",
                "ds_read_b64 v[2:3], v4",
                "ds_read_b64 v[2:3], v4",
                "ds_read2_b64 v[0:3], v4",
            ],
            False,
        ),
        (["ds_read2_b32 v[0:1], v4 offset1:1"], False),
        (["ds_write2_b64 v4, v[0:1], v[2:3] offset1:1"], False),
    ],
)
def test_lines_whose_wide_reads_stand_in_pairs(body, found):
    lines = "\n".join(f"\t{each}" for each in body)
    text = (
        '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx950"\n\t.file 1 "/a" "k.py"\n\t.type k,@function\nk:\n'
        f"\t.loc 1 7 3\n{lines}\n\ts_endpgm\n"
    )
    places = two_address_lines(parse_amdgcn(text), "k", "/a/k.py")
    assert places == (frozenset({("/a/k.py", 7)}) if found else frozenset())
