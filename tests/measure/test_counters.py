"""Profilers' files: Nsight Compute's pages as an H200 left them, rocprofv3's documented CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect.errors import CaptureError, ParseError
from gluon_inspect.measure import counters, ncu
from gluon_inspect.measure.counters import read_counters
from gluon_inspect.measure.names import NCU
from gluon_inspect.measure.ncu_csv import read_ncu, read_raw_page, read_source_page
from gluon_inspect.measure.rocprof import read_rocprof
from tests.measure import nsight_file

_DATA = Path(__file__).parents[1] / "data" / "measure"
_RAW = (_DATA / "opposite_layouts.raw.csv").read_text()
_SOURCE = (_DATA / "opposite_layouts.source.csv").read_text()


def test_launches_of_the_raw_page_in_order():
    first, second = read_raw_page(_RAW)
    assert (first.name, first.grid, first.device) == ("copy_one_layout", (32, 64, 1), "NVIDIA H200")
    assert first.counters["global_store_sectors"] == 8388608
    assert first.counters["registers_per_thread"] == 56
    assert second.counters["shared_wavefronts"] == 524288
    assert set(first.counters) == set(NCU)


def test_instructions_add_up_to_the_launch():
    for launch in read_ncu(_RAW, _SOURCE):
        sectors = {"LDG": 0.0, "STG": 0.0}
        for each in launch.instructions:
            for root in sectors:
                if each.text.split()[0].startswith(root) or f" {root}" in each.text:
                    sectors[root] += each.counts.get("sectors", 0.0)
        assert sectors["LDG"] == launch.counters["global_load_sectors"]
        assert sectors["STG"] == launch.counters["global_store_sectors"]


def test_offsets_are_those_of_the_binary():
    for launch in read_source_page(_SOURCE):
        assert [each.offset for each in launch[:3]] == [0, 16, 32]


def test_instructions_that_never_ran_have_no_counts():
    assert all(value for launch in read_source_page(_SOURCE) for each in launch for value in each.counts.values())


def test_pages_of_different_reports_are_refused():
    once = _SOURCE[: _SOURCE.index('"Kernel Name"', 10)]
    with pytest.raises(ParseError, match="2 launches in the raw page, 1 in the source page"):
        read_ncu(_RAW, once)


@pytest.mark.parametrize("text", ["", "hello\nworld\n", "a,b,c\n1,2,3\n"])
def test_other_text_is_a_parse_error(text):
    with pytest.raises(ParseError):
        read_raw_page(text, "x.csv")
    with pytest.raises(ParseError):
        read_source_page(text, "x.csv")


def test_rocprofv3_by_dispatch():
    copy, row_sum = read_rocprof((_DATA / "counter_collection.csv").read_text())
    assert (copy.name, copy.counters["vector_memory_reads"]) == ("copy_2d", 16384)
    assert copy.counters["l2_read_requests"] == 65536
    registers = ("vector_registers_allocated", "accumulation_registers_allocated", "scalar_registers_allocated")
    assert [copy.counters[name] for name in registers] == [24, 4, 32]
    assert row_sum.counters["lds_conflict_cycles"] == 512
    assert row_sum.counters["GRBM_COUNT"] == 1234
    assert row_sum.counters["spill_bytes"] == 16


def test_rocprofv3_with_a_broken_number_says_where():
    text = (_DATA / "counter_collection.csv").read_text().replace("65536.000000", "many")
    with pytest.raises(ParseError) as caught:
        read_rocprof(text, "x.csv")
    assert caught.value.position.line == 3


def test_a_file_is_told_by_its_content():
    assert [each.name for each in read_counters(_DATA / "counter_collection.csv")] == ["copy_2d", "row_sum"]
    assert len(read_counters(_DATA / "opposite_layouts.raw.csv")) == 2
    with pytest.raises(CaptureError, match="No such file"):
        read_counters(_DATA / "missing.csv")


def test_an_ncu_that_refuses_is_quoted(tmp_path):
    program = tmp_path / "ncu"
    program.write_text("#!/bin/sh\necho '==ERROR== Failed to open the file' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(CaptureError, match="Failed to open"):
        ncu.as_csv(str(program), tmp_path / "x.ncu-rep", "raw")


def test_a_report_through_the_ncu_program(tmp_path, monkeypatch):
    program, report = tmp_path / "ncu", tmp_path / "x.ncu-rep"
    report.write_bytes(b"NVR\0 of a version to come")
    pages = f"*source*) cat {_DATA}/opposite_layouts.source.csv;; *) cat {_DATA}/opposite_layouts.raw.csv;;"
    program.write_text(f'#!/bin/sh\ncase "$*" in {pages} esac\n')
    program.chmod(0o755)
    monkeypatch.setattr(counters, "find_ncu", lambda: str(program))
    assert read_counters(report) == read_ncu(_RAW, _SOURCE, str(report))


def test_nothing_of_the_card_is_changed():
    command = ncu.profile_command("ncu", Path("out.ncu-rep"), Path("ncu.log"), ["python", "x.py"])
    assert command[command.index("--clock-control") + 1] == "none"
    assert command[-2:] == ["python", "x.py"]


def test_a_report_in_which_no_counter_is_known_goes_through_the_program(tmp_path, monkeypatch):
    program, report = tmp_path / "ncu", tmp_path / "x.ncu-rep"
    report.write_bytes(nsight_file.report(nsight_file.block(results=[nsight_file.launch("f", (1, 1, 1), {})])))
    pages = f"*source*) cat {_DATA}/opposite_layouts.source.csv;; *) cat {_DATA}/opposite_layouts.raw.csv;;"
    program.write_text(f'#!/bin/sh\ncase "$*" in {pages} esac\n')
    program.chmod(0o755)
    monkeypatch.setattr(counters, "find_ncu", lambda: str(program))
    assert len(read_counters(report)) == 2
    monkeypatch.setattr(counters, "find_ncu", lambda: None)
    assert [launch.name for launch in read_counters(report)] == ["f"]
