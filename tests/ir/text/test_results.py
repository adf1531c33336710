from __future__ import annotations

import math

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.ir.text import parse_type
from gluon_inspect.model.mlir import DenseElements

PRELUDE = """\
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @f(%i: i32, %j: i64, %c: i1, %p: !tt.ptr<f16>, %t: tensor<64xi32, #b>, %m: tensor<64xi1, #b>,
    %q: tensor<64x!tt.ptr<f16>, #b>, %h: tensor<64xf16, #b>, %d: !ttg.memdesc<64xf16, #s, #smem, mutable>,
    %tm: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %tok: !ttg.async.token,
    %acc: tensor<128x64xf32>, %desc: !tt.tensordesc<64x64xf16>, %v: vector<4xf32>) {
"""
_BLOCKED = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"


def results(line: str) -> list[object]:
    module = parse_mlir(f"{PRELUDE}  {line}\n  tt.return\n}}")
    return [value.type for value in module.functions[0].regions[0].blocks[0].operations[0].results]


@pytest.mark.parametrize(
    ("line", "types"),
    [
        ("%r = tt.load %q, %m, %h : tensor<64x!tt.ptr<f16>, #b>", f"tensor<64xf16, {_BLOCKED}>"),
        ("%r = tt.load %p {isVolatile = true} : !tt.ptr<f16>", "f16"),
        ("%r = arith.cmpi slt, %t, %t : tensor<64xi32, #b>", f"tensor<64xi1, {_BLOCKED}>"),
        ('%r = arith.cmpf "olt", %h, %h : tensor<64xf16, #b>', f"tensor<64xi1, {_BLOCKED}>"),
        ("%r = arith.select %m, %h, %h : tensor<64xi1, #b>, tensor<64xf16, #b>", f"tensor<64xf16, {_BLOCKED}>"),
        ("%r = arith.select %c, %t, %t : tensor<64xi32, #b>", f"tensor<64xi32, {_BLOCKED}>"),
        ("%r = arith.constant true", "i1"),
        ("%r = arith.constant 5 : i8", "i8"),
        ("%r = arith.constant dense<0> : tensor<64xi32, #b>", f"tensor<64xi32, {_BLOCKED}>"),
        ("%r = arith.extsi %i : i32 to i64", "i64"),
        ("%r = arith.truncf %h : tensor<64xf16, #b> to tensor <64xf8E5M2, #b>", f"tensor<64xf8E5M2, {_BLOCKED}>"),
        ("%r = tt.splat %i : i32 -> tensor<64xi32, #b>", f"tensor<64xi32, {_BLOCKED}>"),
        ("%r = tt.addptr %q, %t : tensor<64x!tt.ptr<f16>, #b>, tensor<64xi32, #b>",
         f"tensor<64x!tt.ptr<f16>, {_BLOCKED}>"),
        ("%r = tt.get_program_id y : i32", "i32"),
        ("%r = tt.unsplat %h : tensor<64xf16, #b>", "f16"),
        ("%r = tt.make_tensor_descriptor %p, [%i, %i], [%j, %j] : <f16>, <64x64xf16>",
         "!tt.tensordesc<64x64xf16>"),
        ("%r = tt.atomic_rmw fadd, relaxed, gpu, %q, %h, %m : (tensor<64x!tt.ptr<f16>, #b>, tensor<64xf16, #b>, "
         "tensor<64xi1, #b>) -> tensor<64xf16, #b>", f"tensor<64xf16, {_BLOCKED}>"),
        ("%r = ttg.async_copy_global_to_local %q, %d mask %m : tensor<64x!tt.ptr<f16>, #b> -> "
         "<64xf16, #s, #smem, mutable>", "!ttg.async.token"),
        ("%r = ttg.local_load %d token %tok : !ttg.memdesc<64xf16, #s, #smem, mutable> -> tensor<64xf16, #b>",
         f"tensor<64xf16, {_BLOCKED}>"),
        ("%r = ttng.tmem_load %tm : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> "
         "tensor<128x64xf32>", "tensor<128x64xf32>"),
        ("%r = ttg.async_wait %tok {num = 0 : i32}", "!ttg.async.token"),
        ("%r = amdg.buffer_load %p[%t], %m stride = %i : tensor<64xf16, #b>", f"tensor<64xf16, {_BLOCKED}>"),
        ("%r = amdg.buffer_load_to_local %p[%t] into %d : <f16>[tensor<64xi32, #b>] -> "
         "<64xf16, #s, #smem, mutable>",
         "!ttg.async.token"),
        ("%r = llvm.extractelement %v[%i : i32] : vector<4xf32>", "f32"),
        ("%r = my.op %i : i32 -> f64", "f64"),
    ],
)  # fmt: skip
def test_the_result_type_follows_from_the_text(line: str, types: str):
    assert results(line) == [parse_type(types)]


def test_several_results():
    token, tensor = parse_type("!ttg.async.token"), parse_type("tensor<128x64xf32>")
    line = "%r, %k = ttng.tmem_load %tm[%tok] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>"
    assert results(f"{line} -> tensor<128x64xf32>") == [tensor, token]
    assert results("%r:2 = tt.split %acc : tensor<128x64xf32> -> tensor<128x64xf32>") == [tensor, tensor]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("5 : i32", 5),
        ("-1 : i64", -1),
        ("0x10 : i32", 16),
        ("true", True),
        ("false", False),
        ("1.5 : f32", 1.5),
        ("-3.0e+02 : f64", -300.0),
        ("0x7F800000 : f32", math.inf),
        ("0xC000 : f16", -2.0),
        ("0x3F80 : bf16", 1.0),
        ("0x3C : f8E5M2", 1.0),
        ("0x38 : f8E4M3FN", 1.0),
    ],
)
def test_constants_have_python_values(literal: str, value: object):
    module = parse_mlir(f"%r = arith.constant {literal}")
    found = module.operations[0].attributes["value"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("literal", "values", "is_splat"),
    [
        ("dense<3> : tensor<4xi32>", (3,), True),
        ("dense<[1, 2, 3]> : tensor<3xi32>", (1, 2, 3), False),
        ("dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>", (1, 2, 3, 4), False),
        ("dense<true> : tensor<4xi1>", (True,), True),
        ("dense<-1.5> : tensor<4xf16>", (-1.5,), True),
        ("dense<0xFF800000> : tensor<4xf32>", (-math.inf,), True),
        ('dense<"0x0100FFFF"> : tensor<2xi16>', (1, -1), False),
        ('dense<"0x0000803F"> : tensor<4xf32>', (1.0,), True),
        ("dense<> : tensor<0xi32>", (), False),
        ("dense<[1, 2]> : vector<2xi32>", (1, 2), False),
    ],
)
def test_dense_constants(literal: str, values: tuple[object, ...], is_splat: bool):
    operation = parse_mlir(f"%r = arith.constant {literal}").operations[0]
    found = operation.attributes["value"]
    assert isinstance(found, DenseElements)
    assert (found.values, found.is_splat) == (values, is_splat)
    assert operation.results[0].type == found.type


def test_words_of_the_custom_form_are_attributes():
    def attributes(line: str) -> object:
        module = parse_mlir(f"{PRELUDE}  {line}\n  tt.return\n}}")
        found = module.functions[0].regions[0].blocks[0].operations[0].attributes
        return {name: value for name, value in found.items() if name != "operand_groups"}

    assert attributes("%r = tt.get_program_id z : i32") == {"axis": 2}
    assert attributes("%r = tt.make_range {end = 8 : i32, start = 2 : i32} : tensor<8xi32>") == {
        "end": 8,
        "start": 2,
    }
    assert attributes("%r = arith.cmpi ult, %i, %i : i32") == {"predicate": "ult"}
    assert attributes(
        "%r = tt.fp_to_fp %h {a}, rounding = rtne : tensor<64xf16, #b> -> tensor<64xf8E5M2, #b>"
    ) == {
        "a": True,
        "rounding": "rtne",
    }
    assert attributes("%r = tt.dot %h, %h, %acc, inputPrecision = tf32 : i32 * i32 -> i32") == {
        "inputPrecision": "tf32"
    }
    assert attributes("%r = tt.atomic_rmw add, acq_rel, gpu, %q, %t : (i32, i32) -> i32") == {
        "atomic_rmw_op": "add",
        "sem": "acq_rel",
        "scope": "gpu",
    }
    assert attributes("%r = ttg.memdesc_subslice %d[16, 0] : i32 -> i32") == {"offsets": (16, 0)}
    assert attributes("%r = tt.reshape %t allow_reorder : i32 -> i32") == {"allow_reorder": True}
    assert attributes("ttng.init_barrier %d, 2 : i32") == {"count": 2}
