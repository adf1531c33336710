"""What the rows say must agree with itself."""

import pytest

from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import DIALECTS, OPAQUE, all_rows, lookup, row_of, rows_in, ttg
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.ir.text import parse_mlir

PURE_LOOP = """
#a = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#s = #ttg.slice<{dim = 1, parent = #a}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:90"} {
  tt.func @k(%n: i32, %x: tensor<128xf32, #s>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %j = tt.join %x, %x : tensor<128xf32, #s> -> tensor<128x2xf32, #a>
      %c = ttg.convert_layout %j : tensor<128x2xf32, #a> -> tensor<128x2xf32, #b>
    }
    tt.return
  }
}
"""


def roles_of(row):
    roles = row.roles
    inside = [role for _, bracket in roles.brackets for role in bracket.split(",")]
    every = (*roles.positional, *inside, *roles.keywords.values(), *roles.segments)
    return {role.rstrip("*") for role in every}


def used_roles(row):
    effects = (row.lanes, row.bulk, row.shared, row.tensor)
    names = ("address", "offsets", "coordinates", "buffer", "rows", "predicate", "tensor")
    found = {getattr(effect, name, "") for effect in effects if effect is not None for name in names}
    return (found | {row.predicate}) - {""}


def test_a_name_has_one_row():
    names = [row.name for dialect in DIALECTS for row in rows_in(dialect)]
    assert len(names) == len(set(names)) == len(all_rows())


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.name)
def test_effects_speak_of_operands_that_there_are(row):
    assert used_roles(row) <= roles_of(row)


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.name)
def test_meanings_fit_the_kind(row):
    effects = (row.lanes, row.bulk, row.shared, row.tensor)
    assert not (row.is_pure and any(effects))
    assert row.is_pure or not row.elementwise
    assert row.kind is K.CONTROL or not (row.loop or row.hands_over)
    assert row.regions or not (row.loop or row.combines)


def test_earlier_names_of_dialects_have_the_same_rows():
    assert lookup("triton_gpu.convert_layout") is ttg.CONVERT_LAYOUT
    assert lookup("amdgpu.buffer_load") is lookup("amdg.buffer_load")


def test_an_operation_without_a_row_is_opaque_and_not_pure():
    (unknown, *_) = parse_mlir('"new.thing"() : () -> ()').operations
    assert row_of(unknown) is OPAQUE
    assert not OPAQUE.is_pure


def test_a_conversion_behind_a_join_is_the_same_in_every_iteration():
    module = parse_mlir(PURE_LOOP)
    (conversion,) = (op for op in module.walk() if row_of(op) is ttg.CONVERT_LAYOUT)
    assert graph_of(module).is_invariant(conversion)
