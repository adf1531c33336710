from __future__ import annotations

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.ir.text import parse_encoding, parse_type
from gluon_inspect.model import encodings as e
from gluon_inspect.model.mlir import OpaqueAttribute, SymbolReference
from gluon_inspect.model.types import (
    DescriptorType,
    FunctionType,
    MemDescType,
    OpaqueType,
    PointerType,
    ScalarType,
    TensorType,
)

F16, F32, I32 = ScalarType("f16", 16), ScalarType("f32", 32), ScalarType("i32", 32)
BLOCKED = e.BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0))
BLOCKED_TEXT = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
)


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("i1", ScalarType("i1", 1)),
        ("ui8", ScalarType("ui8", 8)),
        ("bf16", ScalarType("bf16", 16)),
        ("f8E4M3FN", ScalarType("f8E4M3FN", 8)),
        ("tf32", ScalarType("tf32", 32)),
        ("index", ScalarType("index", 64)),
        ("!tt.ptr<f32>", PointerType(F32)),
        ("!tt.ptr<!tt.ptr<i32>, 3>", PointerType(PointerType(I32), 3)),
        ("tensor<f32>", TensorType((), F32)),
        ("tensor<1x128x!tt.ptr<f16>>", TensorType((1, 128), PointerType(F16))),
        ("tensor<?x4xf16>", TensorType((-1, 4), F16)),
        (f"tensor<16x32xf16, {BLOCKED_TEXT}>", TensorType((16, 32), F16, BLOCKED)),
        ("tensor<2x!nvws.token>", TensorType((2,), OpaqueType("!nvws.token"))),
        ("!ttg.memdesc<2x64xf16, #ttg.shared_linear<{offset = [[1]], block = []}, alignment = 8>, "
         "#ttg.shared_memory>",
         MemDescType((2, 64), F16, e.SharedLinearEncoding(((1,),), (), 8), "shared")),
        ("!ttg.memdesc<64xf32, #x.y, #ttng.tensor_memory, mutable, 3x64>",
         MemDescType((64,), F32, e.OpaqueEncoding("#x.y"), "tensor", True, (3, 64))),
        ("!ttg.memdesc<64xf32, #x.y, #ttng.tensor_memory, mutable, 64>",
         MemDescType((64,), F32, e.OpaqueEncoding("#x.y"), "tensor", True)),
        ("!tt.tensordesc<64x32xf16>", DescriptorType("tt.tensordesc", (64, 32), F16)),
        ("!tt.tensordesc<tensor<64x32xf16>>", DescriptorType("tt.tensordesc", (64, 32), F16)),
        (f"!ttng.tensordesc_im2col<64x32xf16, {BLOCKED_TEXT}>",
         DescriptorType("ttng.tensordesc_im2col", (64, 32), F16, BLOCKED)),
        ("(i32, f32) -> ()", FunctionType((I32, F32), ())),
        ("() -> i32", FunctionType((), (I32,))),
        ("!ttg.async.token", OpaqueType("!ttg.async.token")),
        ("!llvm.struct<(ptr<1>, array<4 x i8>)>", OpaqueType("!llvm.struct<(ptr<1>, array<4 x i8>)>")),
        ("memref<4xf32, affine_map<(d0) -> (d0)>>", OpaqueType("memref<4xf32, affine_map<(d0) -> (d0)>>")),
        ("vector<[4]xf32>", OpaqueType("vector<[4]xf32>")),
    ],
)  # fmt: skip
def test_types(text: str, of: object):
    assert parse_type(text) == of


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (BLOCKED_TEXT, BLOCKED),
        (BLOCKED_TEXT.replace("]}>", "], CGALayout = [[1, 0], [0, 0]]}>"),
         e.BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0), ((1, 0), (0, 0)))),
        (BLOCKED_TEXT.replace("]}>", "], CTAsPerCGA = [2, 2], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>"),
         e.BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0), ((0, 0), (1, 0)))),
        (f"#ttg.slice<{{dim = 1, parent = {BLOCKED_TEXT}}}>", e.SliceEncoding(1, BLOCKED)),
        ("#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>",
         e.LinearEncoding(((0, 1),), ((1, 0),), (), ())),
        ("#ttg.generic_linear<{register = [[1]], lane = [], warp = [[3]], block = []}>",
         e.LinearEncoding(((1,),), (), ((3,),), (), True)),
        (f"#ttg.dot_op<{{opIdx = 1, parent = {BLOCKED_TEXT}}}>", e.DotOperandEncoding(1, BLOCKED)),
        ("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
         e.NvidiaMmaEncoding(3, 0, (4, 1), (16, 64, 16))),
        ("#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true, "
         "tilesPerWarp = [2, 2], elementBitWidth = 64}>",
         e.AmdMfmaEncoding(4, (2, 2), (32, 32, 16), True, (2, 2), 64)),
        ("#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {register = [[0, 1]], "
         "warp = [[0, 2], [1, 0]]}, instrShape = [16, 16, 32]}>",
         e.AmdWmmaEncoding(3, True, ((0, 1),), ((0, 2), (1, 0)), (16, 16, 32), 2)),
        ("#ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [2, 4]}>",
         e.AmdWmmaEncoding(1, False, (), ((0, 1), (0, 2), (1, 0)), (16, 16, 16), 2)),
        ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>",
         e.SwizzledSharedEncoding(8, 1, 4, (1, 0))),
        ("#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>",
         e.AmdRotatingSharedEncoding(4, 1, 16, (1, 0))),
        ("#ttg.padded_shared<[512:+16, 64:+8] {order = [1, 0], shape = [4, 16]}>",
         e.PaddedSharedEncoding(((512, 16), (64, 8)), (), (), (1, 0), (4, 16))),
        ("#ttg.padded_shared<[4:+4] {offset = [[0, 1], [1, 0]], block = [[0, 0]]}>",
         e.PaddedSharedEncoding(((4, 4),), ((0, 1), (1, 0)), ((0, 0),))),
        ("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>",
         e.NvmmaSharedEncoding(128, True, 16)),
        ("#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8, fp4Padded = true, "
         "CGALayout = [[0, 0, 1]]}>", e.NvmmaSharedEncoding(64, False, 8, True, 3, ((0, 0, 1),))),
        ("#ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = "
         "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>}>",
         e.PartitionedSharedEncoding(2, 4, 0, e.SwizzledSharedEncoding(1, 1, 1, (0,)))),
        ("#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 2, CGALayout = [[1, 0]], "
         "twoCTAs = true>",
         e.TensorMemoryEncoding(64, 32, 2, ((1, 0),), True)),
        ("#ttng.tensor_memory_scales_encoding<>", e.TensorMemoryScalesEncoding()),
        ("#gluon.auto_encoding", e.AutoEncoding("auto")),
        ("#gluon.coalesced_encoding", e.AutoEncoding("coalesced")),
        ("#ttg.blocked<{sizePerThread = [1]}>", e.OpaqueEncoding("#ttg.blocked<{sizePerThread = [1]}>")),
        ("#new.layout<{a = [1]}>", e.OpaqueEncoding("#new.layout<{a = [1]}>")),
    ],
)  # fmt: skip
def test_encodings(text: str, encoding: object):
    assert parse_encoding(text) == encoding
    assert (
        parse_encoding(" ".join(text.replace("=", " = ").split())) == encoding or "new" in text or "[1]}>" in text
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16 : i32", 16),
        ("-0x1F : i32", -31),
        ("1.5e+3 : f64", 1500.0),
        ("true", True),
        ("unit", True),
        ('"a\\0A\\22\\\\"', 'a\n"\\'),
        ('@f::@"g h"', SymbolReference("f::g h")),
        ("array<i64>", ()),
        ("array<i1: true, false>", (True, False)),
        ("array<f32: 1.0, -2.5>", (1.0, -2.5)),
        ("[1, [2.0, @f], {}, i32]", (1, (2.0, SymbolReference("f")), {}, I32)),
        ("{a = {b = [unit, {c}]}}", {"a": {"b": (True, {"c": True})}}),
        ("(i32) -> f16", FunctionType((I32,), (F16,))),
        (
            "affine_map<(d0)[s0] -> (d0 + s0, d0 mod 3)>",
            OpaqueAttribute("affine_map<(d0)[s0] -> (d0 + s0, d0 mod 3)>"),
        ),
        ("affine_set<(d0) : (d0 - 1 >= 0)>", OpaqueAttribute("affine_set<(d0) : (d0 - 1 >= 0)>")),
        ("dense_resource<blob> : tensor<2xf32>", OpaqueAttribute("dense_resource<blob> : tensor<2xf32>")),
        ("distinct[0]<unit>", OpaqueAttribute("distinct[0]<unit>")),
        ("strided<[1, ?], offset: ?>", OpaqueAttribute("strided<[1, ?], offset: ?>")),
        ('loc("a":1:2)', OpaqueAttribute('loc("a":1:2)')),
        ("#arith.overflow<nsw, nuw>", OpaqueAttribute("#arith.overflow<nsw, nuw>")),
        ('#odd.one<[x y], "}", z :: 3>', OpaqueAttribute('#odd.one<[x y], "}", z :: 3>')),
    ],
)
def test_attributes(text: str, value: object):
    found = parse_mlir(f"module attributes {{before = 1, x.y = {text}, after = 2}} {{}}").attributes
    assert found == {"before": 1, "x.y": value, "after": 2}
    assert type(found["x.y"]) is type(value)
    assert parse_mlir(f"#a = {text}\nmodule attributes {{x = #a}} {{}}").attributes["x"] == value
