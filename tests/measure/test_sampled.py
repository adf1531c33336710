"""The profiler's samples beside the expected stalls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gluon_inspect.measure.counting import with_launches
from gluon_inspect.measure.names import NCU_STALLS
from gluon_inspect.measure.nsight import read_report
from gluon_inspect.measure.sampled import sampled_table
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource, Stall, Standing
from gluon_inspect.model.location import Location
from gluon_inspect.model.measured import InstructionCounters, ProfiledLaunch
from tests.measure.nsight_file import BASE, block, launch, report, source
from tests.report import samples

_LINE, _OTHER = Location("k.py", 7), Location("k.py", 9)


def _cost(*standing: Standing) -> KernelCost:
    return KernelCost(1e-6, Resource.DRAM, {}, (), Confidence.SAMPLED, ModelStatus.VALIDATED, standing=standing)


def _profiled(*stalls: dict[str, float]) -> ProfiledLaunch:
    each = (InstructionCounters(16 * at, f"I{at}", {}, found) for at, found in enumerate(stalls))
    return ProfiledLaunch("copy", None, {}, tuple(each))


def test_lines_have_sampled_and_expected_shares_most_samples_first() -> None:
    found = _profiled({"wait": 1, "selected": 1}, {"long scoreboard": 6}, {"wait": 2})
    cost = _cost(
        Standing(0, "I0", _LINE, 0.5, {Stall.WAIT: 0.5}),
        Standing(1, "I1", _OTHER, 0.5, {Stall.LONG_SCOREBOARD: 0.5}),
    )
    table = sampled_table(cost, found, {0: _LINE, 16: _OTHER, 32: _LINE})
    assert table.rows == (
        ("line 9", "60%", "50%", "long scoreboard 100%", "long scoreboard 100%"),
        ("line 7", "40%", "50%", "wait 75%, selected 25%", "wait 100%"),
    )
    assert table.locations == (_OTHER, _LINE)
    assert table.note == "the two distributions have 90% in common"


def test_without_lines_an_instruction_is_the_same_only_with_its_text() -> None:
    found = _profiled({"wait": 1}, {"barrier": 1})
    cost = _cost(
        Standing(0, "I0", None, 0.6, {Stall.WAIT: 0.6}), Standing(1, "another", None, 0.4, {Stall.BARRIER: 0.4})
    )
    table = sampled_table(cost, found, {})
    assert [row[:3] for row in table.rows] == [("I0", "50%", "60%"), ("I1", "50%", "0%"), ("another", "0%", "40%")]
    assert table.note == "the two distributions have 50% in common"


def test_nothing_sampled_is_no_table_and_nothing_expected_is_said() -> None:
    assert sampled_table(_cost(), _profiled({}, {}), {}).rows == ()
    table = sampled_table(None, _profiled({"wait": 3}), {})
    assert table.rows == (("I0", "100%", None, "wait 100%", ""),)
    assert table.note == "nothing was expected"


def test_samples_of_a_report_stand_by_instruction() -> None:
    names = ("inst_executed", NCU_STALLS[Stall.MIO], NCU_STALLS["selected"])
    samples_of = {0: {BASE: 4, BASE + 16: 4}, 1: {BASE + 16: 5}, 2: {BASE + 16: 2}}
    one = launch("copy", (2, 1, 1), {0: 8, 1: 5, 2: 2}, instances=samples_of)
    (found,) = read_report(report(block([source(1, b"")], [one], names)))
    assert [dict(each.stalls) for each in found.instructions] == [{}, {"mio": 5, "selected": 2}]


def _only(place: Location) -> Callable[[object], dict[int, Location]]:
    return lambda _: {0: place}


@pytest.mark.parametrize("folder", ["/elsewhere", ""])
def test_a_profile_from_another_machine_is_of_the_same_files(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary = samples.ordinary()
    kernel = ordinary.kernels[0]
    place = next(access.location for access in kernel.accesses if access.location)
    away = Location(f"{folder}/{place.file.rpartition('/')[2]}".lstrip("/" if not folder else ""), place.line)
    monkeypatch.setattr("gluon_inspect.measure.counting.instruction_places", _only(away))
    profiled = ProfiledLaunch(
        kernel.name, kernel.launch.grid, {}, (InstructionCounters(0, "LDG.E R1", {"sectors": 8.0}, {"wait": 1.0}),)
    )
    tables = {table.key: table for table in with_launches(ordinary, [profiled]).kernels[0].tables}
    (at,) = tables["measured_standing"].locations
    assert at is not None
    assert (at.file, at.line) == (place.file, place.line)
