"""Rankings of entries made by hand: times, duplicates, refusals, sets that serve."""

from html import unescape
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.errors import UsageError
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.artifact import CompiledKernel, Launch, TensorArgument
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.targets.bands import BETWEEN_CONFIGURATIONS
from gluon_inspect.tune.output import as_json, page, pasted
from gluon_inspect.tune.plot import as_svg, as_text, over
from gluon_inspect.tune.ranking import best_for_all, fewest, rankings
from gluon_inspect.wording.markdown import page_as_markdown


def cost(seconds):
    return KernelCost(
        seconds, Resource.DRAM, {Resource.DRAM: seconds}, (), Confidence.EXACT, ModelStatus.VALIDATED
    )


def entry(block, seconds, m=1024, *, warps=4, grid=None, error="", shared=0, written=None, name="k"):
    kernel = CompiledKernel(
        name,
        "cuda:90",
        metadata={"num_warps": warps, "shared": shared},
        configuration={"BLOCK": str(block), "num_warps": str(warps), "num_ctas": "1"},
        error=error,
    )
    tensor = TensorArgument("float16", (m, 64), (64, 1), block << 32)
    launch = Launch("launch0", 1, grid or (m // block, 1, 1), {"x": tensor, "m": m}, trial=True)
    stores = () if written is None else (_store(written),)
    return KernelReport(kernel, launch, cost=seconds and cost(seconds), shared_bytes=shared, accesses=stores)


def _store(written):
    return Access(
        id="g0", op="tt.store", result_of=0, space=Space.GLOBAL, direction=Direction.STORE, bytes_unique=written,
        confidence=Confidence.EXACT, model=ModelStatus.VALIDATED, location=None,
    )  # fmt: skip


def ranked(*entries):
    return rankings(Report(entries))


def test_each_launch_is_ranked_fastest_first():
    found = ranked(entry(64, 3e-6), entry(128, 1e-6), entry(64, 1e-6, 2048), entry(128, 2e-6, 2048))
    assert [each.problem for each in found] == ["m=1024", "m=2048"]
    assert [[c.configuration["BLOCK"] for c in each.candidates] for each in found] == [
        ["128", "64"],
        ["64", "128"],
    ]


def test_those_within_the_error_of_the_first_may_be_the_best():
    (found,) = ranked(entry(32, 1e-6), entry(64, (1 + BETWEEN_CONFIGURATIONS) * 0.999e-6), entry(128, 1.3e-6))
    assert [each.configuration["BLOCK"] for each in found.near] == ["32", "64"]


def test_one_configuration_is_ranked_once_whatever_its_place_in_memory():
    same = entry(64, 2e-6)
    (found,) = ranked(same, entry(128, 1e-6), same)
    assert [len(found.candidates), len(found.refused)] == [2, 0]
    assert found.candidates[1].also == ()


def test_what_did_not_compile_fit_or_follow_is_refused_with_the_reason():
    never = Launch("-")
    broken, large = entry(256, 1e-6, error="k.py:3: what\nerror: no such thing"), entry(512, 1e-6, shared=1 << 20)
    dead = [KernelReport(each.kernel, never, shared_bytes=each.shared_bytes) for each in (broken, large)]
    (found,) = ranked(entry(64, 1e-6), entry(32, None), *dead)
    assert [(each.configuration["BLOCK"], each.refusal) for each in found.refused] == [
        ("32", "its time cannot be told: its traffic is not known"),
        ("256", "k.py:3: what: error: no such thing"),
        ("512", "it needs 1 MiB of shared memory, a CTA has 227 KiB"),
    ]


def test_a_grid_that_does_not_follow_the_configuration_does_less_work():
    grid = (16, 1, 1)
    (found,) = ranked(entry(64, 2e-6, grid=grid, written=4096), entry(32, 1e-6, grid=grid, written=2048))
    assert [each.configuration["BLOCK"] for each in found.candidates] == ["64"]
    assert found.refused[0].refusal == "it writes 50% of what others do: the script's grid does not follow it"
    (follows,) = ranked(entry(64, 2e-6, written=4096), entry(32, 1e-6, written=2048))
    assert not follows.refused


def times_of(table):
    """Entries of a table: for each launch the times of each configuration."""
    return [
        entry(2**at, seconds * 1e-6, 1024 * (1 + m))
        for m, row in enumerate(table)
        for at, seconds in enumerate(row)
    ]


tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(st.integers(1, 30), min_size=width, max_size=width), min_size=1, max_size=4)
)


@given(tables)
def test_the_set_serves_every_launch_and_none_smaller_does(table):
    found = ranked(*times_of(table))
    chosen = [int(each["BLOCK"]).bit_length() - 1 for each in fewest(found)]

    def serves(columns):
        return all(min(row[at] for at in columns) <= min(row) * (1 + BETWEEN_CONFIGURATIONS) for row in table)

    assert serves(chosen)
    for count in range(1, len(chosen)):
        assert len(chosen) > 3 or not any(map(serves, combinations(range(len(table[0])), count)))


@given(tables)
def test_the_one_for_all_loses_least_where_it_loses_most(table):
    chosen, over_first = best_for_all(ranked(*times_of(table)))
    worst = [max(row[at] / min(row) for row in table) for at in range(len(table[0]))]
    assert max(over_first) == pytest.approx(min(worst))
    assert worst[int(chosen["BLOCK"]).bit_length() - 1] == pytest.approx(min(worst))


def test_what_is_pasted_is_pythons_and_leaves_defaults_out():
    text = "\n".join(pasted([{"BLOCK": "64", "MODE": "'a'", "num_warps": "8", "num_ctas": "1"}]))
    assert text == 'configs=[\n    triton.Config({"BLOCK": 64, "MODE": \'a\'}, num_warps=8),\n],'
    layout = {"layout": "SliceLayout(0, BlockedLayout([1], [32], [4], [0]))"}
    assert "gl.SliceLayout(0, gl.BlockedLayout([1]" in "\n".join(pasted([layout]))


def test_the_page_says_whether_one_serves_all():
    one = page_as_markdown(page(ranked(*times_of([[1, 2], [1, 2]]))))
    two = page_as_markdown(page(ranked(*times_of([[1, 2], [2, 1]]))))
    assert "One configuration serves all 2 launches: BLOCK=1" in unescape(one)
    assert "No configuration serves all 2 launches" in two
    assert "takes 2.00 times" in two
    assert two.count("triton.Config(") == 2


def test_json_has_every_candidate_and_what_was_refused():
    import json

    report = Report((*times_of([[1, 2]]), entry(64, None)), "k.py")
    document = json.loads(as_json(rankings(report), report))
    (ranking,) = document["rankings"]
    assert [each["expected"] for each in ranking["candidates"]] == [1e-6, 2e-6]
    assert [each["may_be_best"] for each in ranking["candidates"]] == [True, False]
    assert ranking["refused"][0]["why"].startswith("its time cannot be told")
    assert document["fewest"][0]["configurations"][0]["BLOCK"] == "1"


def test_a_plot_has_the_best_time_of_each_value_in_order():
    (found,) = ranked(entry(128, 1e-6), entry(64, 3e-6), entry(64, 2e-6, warps=8))
    assert [(value, own[0].seconds) for value, own in over(found, "BLOCK")] == [("64", 2e-6), ("128", 1e-6)]
    assert "best of 2" in "".join(
        line for part in as_text([found], "BLOCK") for line in getattr(part, "lines", ())
    )
    with pytest.raises(UsageError, match="--plot SIZE: no configuration has it"):
        over(found, "SIZE")


def test_the_drawing_is_xml_in_which_names_mean_nothing():
    from xml.etree import ElementTree

    (found,) = ranked(entry(128, 1e-6, name="<k>&"), entry(64, 3e-6, name="<k>&"))
    root = ElementTree.fromstring(as_svg([found], "BLOCK"))
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 2
    assert root[0].text.startswith("<k>& for cuda:90")
