"""Nsight Compute's container: what is read of it, and that nothing else gets through."""

from __future__ import annotations

import pytest

from gluon_inspect.errors import ParseError
from gluon_inspect.measure.nsight_file import parse_nsight
from tests.measure.nsight_file import BASE, NAMES, block, launch, report, simple, source

_FILE = simple("copy", (2, 3, 1), b"a binary", again=1)


def test_launches_with_the_metrics_that_are_wanted():
    first, second = parse_nsight(_FILE, {"inst_executed", "device__attribute_display_name"})
    assert (first.symbol, first.grid, first.block, first.target) == ("copy", (2, 3, 1), (128, 1, 1), "cuda:90")
    assert first.metrics == {"inst_executed": 20, "device__attribute_display_name": "NVIDIA H200"}
    assert first.instances == {"inst_executed": {BASE: 10, BASE + 16: 10}}
    assert first.binary == second.binary == b"a binary"


def test_each_launch_has_the_binary_that_it_names():
    data = report(
        block([source(1, b"one"), source(2, b"two", (10, 3))]),
        block(results=[launch("f", (1, 1, 1), {}, key=key) for key in (2, 1, 3)], names=NAMES),
    )
    assert [(each.binary, each.target) for each in parse_nsight(data, ())] == [
        (b"two", "cuda:103"),
        (b"one", "cuda:90"),
        (b"", ""),
    ]


def test_what_is_no_number_is_left_out():
    whole = report(block(results=[launch("f", (1, 1, 1), {1: float("nan"), 2: 5.0})], names=NAMES))
    (found,) = parse_nsight(whole, NAMES)
    assert found.metrics == {NAMES[2]: 5.0}


def test_another_version_is_named():
    with pytest.raises(ParseError, match="of version 8, this reads 7"):
        parse_nsight(report(version=8), (), "x.ncu-rep")


@pytest.mark.parametrize("data", [b"", b"NVR", b"PK\3\4" + bytes(40)])
def test_another_file_is_no_report(data):
    with pytest.raises(ParseError, match="not a report of Nsight Compute"):
        parse_nsight(data, ())


def test_every_cut_is_told_or_leaves_whole_blocks():
    whole = len(parse_nsight(_FILE, NAMES))
    refused = 0
    for end in range(4, len(_FILE)):
        try:
            assert len(parse_nsight(_FILE[:end], NAMES)) < whole
        except ParseError:
            refused += 1
    between_blocks = 3
    assert refused == len(_FILE) - 4 - between_blocks


def test_damage_is_never_a_traceback():
    for at in range(4, len(_FILE)):
        for byte in (0, 0x7F, 0xFF):
            try:
                parse_nsight(_FILE[:at] + bytes([byte]) + _FILE[at + 1 :], NAMES)
            except ParseError:
                continue


def test_sizes_that_lie_take_no_memory():
    huge = b"NVR\0" + b"\x02\0\0\0\x08\x07" + b"\xff\xff\xff\xff" + bytes(8)
    with pytest.raises(ParseError, match="beyond the end"):
        parse_nsight(huge, ())
