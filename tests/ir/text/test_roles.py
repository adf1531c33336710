from __future__ import annotations

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.ir.operations import lookup
from gluon_inspect.ir.operations.kinds import OperationKind


def groups(line: str) -> object:
    arguments = ", ".join(f"%{name}: i32" for name in "abcdefgh")
    module = parse_mlir(f"tt.func @f({arguments}) {{\n  {line}\n  tt.return\n}}")
    return module.functions[0].regions[0].blocks[0].operations[0].attributes["operand_groups"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%r = tt.load %a : i32", {"ptr": (0,)}),
        ("%r = tt.load %a, %b, %c : i32", {"ptr": (0,), "mask": (1,), "other": (2,)}),
        ("tt.store %a, %b, %c : i32", {"ptr": (0,), "value": (1,), "mask": (2,)}),
        ("%r = tt.atomic_cas acq_rel, gpu, %a, %b, %c : (i32) -> i32", {"ptr": (0,), "cmp": (1,), "val": (2,)}),
        ("ttg.async_copy_global_to_local %a, %b other %c : i32 -> i32",
         {"src": (0,), "result": (1,), "other": (2,)}),
        ("ttg.async_copy_global_to_local %a, %b mask %c other %d : i32 -> i32",
         {"src": (0,), "result": (1,), "mask": (2,), "other": (3,)}),
        ("amdg.buffer_load %a[%b], %c cacheModifier = cs stride = %d : i32",
         {"ptr": (0,), "offsets": (1,), "mask": (2,), "stride": (3,)}),
        ("amdg.buffer_store %a, %b[%c], %d stride = %e : i32",
         {"value": (0,), "ptr": (1,), "offsets": (2,), "mask": (3,), "stride": (4,)}),
        ("amdgpu.buffer_load_to_local %a[%b] mask = %c stride = %d into %e : i32",
         {"ptr": (0,), "offsets": (1,), "mask": (2,), "stride": (3,), "dest": (4,)}),
        ("ttng.async_tma_copy_global_to_local %a[%b, %c] %d, %e, %f : i32",
         {"desc": (0,), "coord": (1, 2), "result": (3,), "barrier": (4,), "pred": (5,)}),
        ("ttng.async_tma_copy_global_to_local %a[%b, %c] offsets = [%g] %d, %e, %f : i32",
         {"desc": (0,), "coord": (1, 2), "offsets": (3,), "result": (4,), "barrier": (5,), "pred": (6,)}),
        ("ttng.async_tma_gather %a[%b, %c] %d, %e, %f : i32",
         {"desc": (0,), "x_offsets": (1,), "y_offset": (2,), "result": (3,), "barrier": (4,), "pred": (5,)}),
        ("ttng.tc_gen5_mma %a, %b, %c, %d, %e, %f[%g] : i32",
         {"a": (0,), "b": (1,), "d": (2,), "useD": (3,), "pred": (4,), "barriers": (5,), "barrier_preds": (6,)}),
        ("%r = ttng.tc_gen5_mma %a, %b, %c[%h], %d, %e : i32",
         {"a": (0,), "b": (1,), "d": (2,), "acc_dep": (3,), "useD": (4,), "pred": (5,)}),
        ("tt.make_tensor_descriptor %a, [%b, %c], [%d, %e] : i32",
         {"base": (0,), "shape": (1, 2), "strides": (3, 4)}),
        ("tt.dot_scaled %a scale %b, %c scale %d, %e lhs = e4m3 rhs = e2m1 : i32 -> i32",
         {"a": (0,), "a_scale": (1,), "b": (2,), "b_scale": (3,), "c": (4,)}),
        ("ttng.wait_barrier %a, %b deps %c, %d : i32", {"alloc": (0,), "phase": (1,), "deps": (2, 3)}),
        ("ttng.tmem_store %a, %b[%c], %d : i32 -> i32", {"src": (0,), "dst": (1,), "dep": (2,), "pred": (3,)}),
        ("ttng.warp_group_dot_wait %a, %b, %c : i32", {"inputs": (0, 1, 2)}),
        ('"tt.load"(%a, %b) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i32, i32) -> i32',
         {"ptr": (0,), "other": (1,)}),
        ('"tt.store"(%a, %b) : (i32, i32) -> ()', {"ptr": (0,), "value": (1,)}),
        ('"tt.descriptor_store"(%a, %b, %c, %d) : (i32) -> ()', {"desc": (0,), "src": (1,), "indices": (2, 3)}),
    ],
)  # fmt: skip
def test_operands_have_the_roles_of_their_row(line: str, expected: object):
    assert groups(line) == expected


def test_rows_are_found_under_a_dialects_earlier_name():
    row = lookup("amdgpu.buffer_load")
    assert row is not None
    assert row.name == "amdg.buffer_load"
    assert row.kind is OperationKind.GLOBAL_LOAD
    assert lookup("my.unknown") is None


def test_generic_segments_name_the_same_roles_as_the_text():
    for name in ("tt.load", "tt.store", "ttng.tc_gen5_mma", "amdg.buffer_load", "ttg.async_copy_global_to_local"):
        row = lookup(name)
        assert row is not None
        roles = row.roles
        written = {*roles.positional, *(role for _, role in roles.brackets), *roles.keywords.values()}
        assert {role.rstrip("*") for role in roles.segments} == {role.rstrip("*") for role in written}
