from __future__ import annotations

import pytest

from gluon_inspect import targets
from gluon_inspect.passes.inferred import Inferred, inferred_layouts
from tests.passes.dumps import line_of, timeline_of


def found_in(name: str) -> list[Inferred]:
    target = targets.find("hip:gfx942" if "gfx942" in name else "cuda:90")
    return list(inferred_layouts(timeline_of(name), target))


@pytest.mark.parametrize("version", ["3.6.0", "3.9.0"])
@pytest.mark.parametrize(("target", "lanes"), [("90", 32), ("gfx942", 64)])
def test_an_auto_layout_comes_from_where_it_is_set(version: str, target: str, lanes: int):
    found = found_in(f"triton{version}.helped.{target}.log.gz")
    rows = next(one for one in found if one.location.line == line_of("row = gl.arange(0, SIZE, layout=gl.Auto"))
    parent = f"BlockedLayout([1, 1], [1, {lanes}], [4, 1], [1, 0])"
    assert (rows.asked, rows.layout) == ("AutoLayout()", f"SliceLayout(1, {parent})")
    assert rows.run.argument == "gluon-resolve-auto-encodings"
    setter = line_of("gl.set_auto_layout(row[:, None]")
    assert rows.reason == f"from line {setter}, where gluon.set_auto_layout sets {parent}"


@pytest.mark.parametrize(
    "name", ["triton3.6.0.coalesced.90", "triton3.9.0.coalesced.90", "triton3.9.0.coalesced.gfx942"]
)
def test_a_coalesced_layout_comes_from_the_addresses(name: str):
    found = found_in(f"{name}.log.gz")
    chosen = next(one for one in found if one.asked == "CoalescedLayout()")
    assert chosen.run.argument == "gluon-infer-coalesced-encodings"
    assert chosen.layout.startswith("BlockedLayout([1, 4], ")
    assert "32 addresses in a row along dim 1, multiples of 16 bytes: 4 x 32 bits a thread" in chosen.reason


def test_nothing_is_inferred_where_every_layout_is_given():
    assert found_in("triton3.9.0.transpose.90.log.gz") == []
