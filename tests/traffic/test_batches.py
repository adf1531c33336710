"""A launch is counted the same however it is cut: neither a pilot nor a batch that was undone leaves a trace."""

import numpy as np
import pytest

from gluon_inspect.evaluate import batches, programs
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Launch
from gluon_inspect.targets import find
from gluon_inspect.traffic.bulk.records import bulk_records
from gluon_inspect.traffic.bulk.tally import BulkTally
from gluon_inspect.traffic.global_memory.records import global_records
from gluon_inspect.traffic.global_memory.tally import Tally
from gluon_inspect.traffic.launch import evaluate_launch
from tests.traffic.test_grouping import LOOP

GRID = 2048
TILES = """
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @copy(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %trips = arith.constant 2 : i32
    %size = arith.constant 512 : i32
    %pid = tt.get_program_id x : i32
    %lanes = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    scf.for %i = %zero to %trips step %one : i32 {
      %twice = arith.muli %pid, %trips : i32
      %tile = arith.addi %twice, %i : i32
      %start = arith.muli %tile, %size : i32
      %place = tt.addptr %x, %start : !tt.ptr<f32>, i32
      %all = tt.splat %place : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
      %at = tt.addptr %all, %lanes : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
      %value = tt.load %at : tensor<512x!tt.ptr<f32>, #b>
    }
    tt.return
  }
}
"""


def records(text, runs=None, limit=None):
    module = parse_module(text)
    (function,) = module.functions
    launch = Launch("0", 1, (GRID, 1, 1), {"x": 1 << 20})
    ran = evaluate_launch(module, function, launch, find("cuda:90"), 4, limit, runs=runs)
    return ran.programs, global_records(ran), bulk_records(ran), [ran.executions(op) for op in function.walk()]


@pytest.mark.parametrize("text", [LOOP, TILES], ids=["scalars", "tiles"])
def test_a_pilot_run_leaves_no_trace(text):
    assert records(text, runs=1 << 21) == records(text, runs=None)


def test_what_the_first_tiles_make_up_is_seen_beyond_the_pilot():
    (access,) = records(TILES, runs=1 << 21)[1]
    assert access.locality.run_bytes_resident == 1024 * 512 * 4


@pytest.mark.parametrize("text", [LOOP, TILES], ids=["scalars", "tiles"])
@pytest.mark.parametrize("most", [1 << 16, 3000])
def test_batches_that_were_too_large_leave_no_trace(text, most, monkeypatch):
    whole = records(text)
    monkeypatch.setattr(programs, "MAX_INSTANCES", most)
    assert records(text)[1:] == whole[1:]


def filled(tally, start):
    addresses, rows = np.arange(start, start + 8), np.arange(16).reshape(2, 8)
    if isinstance(tally, BulkTally):
        tally.add(addresses * 128, (64, 64), (64, 1), (0, addresses), (8, 8), (8, 8), 8)
        tally.add_rows(addresses * 128, (64, 64), 64, np.tile(rows[:1], (8, 1)), 0, 64, 64)
    else:
        tally.add_scalar(addresses, None, 8, 4, 32)
    tally.unknown = tally.unknown or f"from {start} on"
    return tally


@pytest.mark.parametrize("kind", [Tally, BulkTally])
def test_undoing_brings_every_field_back(kind):
    tally, expected = filled(kind(4), 0), filled(kind(4), 0)
    undo = batches.undoing(tally)
    filled(tally, 1000)
    undo()
    assert filled(tally, 5).bytes_unique() == filled(expected, 5).bytes_unique()
    assert [str(getattr(tally, name)) for name in kind.__slots__ if name != "meetings"] == [
        str(getattr(expected, name)) for name in kind.__slots__ if name != "meetings"
    ]
