from __future__ import annotations

from collections import Counter

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.mlir import Module, Operation, SymbolReference
from gluon_inspect.model.types import FunctionType, OpaqueType, PointerType, ScalarType, TensorType
from gluon_inspect.source import SourceText

from .modules import CONTROL, COPY, GENERIC

I32 = ScalarType("i32", 32)


def only(module: Module, name: str, at: int = 0) -> Operation:
    return [operation for operation in module.walk() if operation.name == name][at]


def text_of(module: Module, operation: Operation) -> str:
    return module.source.text[operation.span.start : operation.span.end]


def test_operations_come_in_textual_order_with_their_full_names():
    names = [operation.name for operation in parse_mlir(COPY).walk()]
    assert names[:5] == ["builtin.module", "tt.func", "arith.constant", "tt.get_program_id", "arith.muli"]
    assert names[-3:] == ["tt.load", "tt.store", "tt.return"]


def test_a_function_has_its_name_arguments_and_their_attributes():
    module = parse_mlir(COPY)
    (function,) = module.functions
    assert function.attributes["sym_name"] == "copy"
    assert function.attributes["sym_visibility"] == "public"
    assert function.attributes["arg_attrs"] == ({"tt.divisibility": 16}, {})
    assert function.attributes["function_type"] == FunctionType((PointerType(ScalarType("f32", 32)), I32), ())
    (block,) = function.regions[0].blocks
    assert [value.name for value in block.arguments] == ["%src", "%n"]
    assert block.arguments[0].location is not None
    assert block.arguments[0].location.name == "src"


def test_module_attributes_are_python_values():
    assert parse_mlir(COPY).attributes == {"ttg.num-ctas": 1, "ttg.num-warps": 4, "ttg.target": "cuda:90"}


def test_operands_are_the_values_that_were_defined():
    module = parse_mlir(COPY)
    load = only(module, "tt.load")
    assert load.operands[0] is only(module, "tt.addptr").results[0]
    assert load.operands[1] is only(module, "arith.cmpi").results[0]


def test_a_loop_binds_its_induction_variable_and_iteration_arguments():
    loop = only(parse_mlir(CONTROL), "scf.for")
    assert [value.name for value in loop.operands] == ["%lb", "%n", "%n", "%lb", "%zero"]
    arguments = loop.regions[0].blocks[0].arguments
    assert [(value.name, value.type) for value in arguments] == [
        ("%i", I32),
        ("%a", I32),
        ("%b", ScalarType("f32", 32)),
    ]
    assert [value.type for value in loop.results] == [I32, ScalarType("f32", 32)]
    assert loop.attributes == {"tt.num_stages": 3}


def test_a_while_loop_has_two_regions_with_arguments():
    module = parse_mlir(CONTROL)
    loop = only(module, "scf.while")
    assert [value.name for value in loop.operands] == ["%sum#0"]
    assert [value.name for value in loop.regions[0].blocks[0].arguments] == ["%x"]
    assert [value.name for value in loop.regions[1].blocks[0].arguments] == ["%y"]
    assert loop.results[0].type == I32
    assert loop.operands[0] is only(module, "scf.for").results[0]


def test_left_out_terminators_are_there():
    branch = only(parse_mlir(CONTROL), "scf.if")
    bodies = [[operation.name for operation in region.blocks[0].operations] for region in branch.regions]
    assert bodies == [["tt.store", "scf.yield"], ["scf.yield"]]


def test_partitions_are_named_regions_of_an_operation_of_their_own():
    specialize = only(parse_mlir(CONTROL), "ttg.warp_specialize")
    assert [region.name for region in specialize.regions] == ["default", "partitions"]
    (holder,) = specialize.regions[1].blocks[0].operations
    assert holder.name == "ttg.warp_specialize.partitions"
    assert [region.name for region in holder.regions] == ["partition0", "partition1"]
    arguments = holder.regions[0].blocks[0].arguments
    assert [(value.name, value.type) for value in arguments] == [
        ("%w", I32),
        ("%q", PointerType(ScalarType("f16", 16))),
    ]
    assert arguments[0] != specialize.operands[0]


def test_a_value_used_before_its_definition_is_the_same_value():
    module = parse_mlir(CONTROL)
    used = only(module, "tt.store").operands[1]
    assert used is only(module, "arith.constant", 1).results[0]
    assert used.type == ScalarType("f16", 16)


def test_blocks_and_successors():
    module = parse_mlir(CONTROL)
    branch = only(module, "cf.cond_br")
    (function,) = module.functions
    assert [block.label for block in function.regions[0].blocks] == ["", "yes", "no"]
    assert [(label, [value.name for value in values]) for label, values in branch.successors] == [
        ("yes", ["%w"]),
        ("no", []),
    ]
    assert len(branch.operands) == 2


def test_the_generic_form_means_the_same():
    module = parse_mlir(GENERIC)
    (function,) = module.functions
    assert function.attributes["sym_name"] == "g"
    assert function.attributes["arg_attrs"] == ({"tt.divisibility": 16}, {})
    reduce = only(module, "tt.reduce")
    assert reduce.attributes["axis"] == 0
    assert reduce.attributes["note"] == "x"
    assert reduce.attributes["operand_groups"] == {"srcs": (0,)}
    assert [value.name for value in reduce.regions[0].blocks[0].arguments] == ["%a", "%b"]
    assert reduce.results[0].type == ScalarType("f32", 32)
    assert only(module, "arith.cmpi").attributes["predicate"] == "slt"
    assert [label for label, _ in only(module, "cf.cond_br").successors] == ["bb1", "bb2"]


def test_unknown_operations_are_kept_whole():
    module = parse_mlir(GENERIC)
    unknown = only(module, "my.unknown")
    assert module.opaque_names == {"my.unknown"}
    assert [value.name for value in unknown.operands] == ["%0", "%n"]
    assert text_of(module, unknown) == (
        '"my.unknown"(%0, %n) {weird = #my.attr<a [b]>} : (f32, i32) -> !my.type<4>'
    )


def test_unknown_custom_operations_keep_regions_operands_and_results():
    module = parse_mlir(
        "tt.func @f(%a: i32) {\n  %r:2 = my.op %a, %a with (%in: i32) {\n"
        "    my.use %in : i32\n  } : i32 -> f32, i1\n"
        "  my.flag\n  my.two %r#1, %r#0 : i1, f32\n  tt.return\n}"
    )
    operation = only(module, "my.op")
    assert [value.type.name for value in operation.results] == ["f32", "i1"]
    assert [value.name for value in operation.regions[0].blocks[0].arguments] == ["%in"]
    assert [value.name for value in only(module, "my.two").operands] == ["%r#1", "%r#0"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("module {}", ["builtin.module"]),
        ("module @name attributes {a} {\n  module {\n  }\n}", ["builtin.module", "builtin.module"]),
        ("", []),
        ("// only a comment with <brackets {\n", []),
        ("func.func @f() {\n  %0 = call @g() : () -> i32\n  return\n}", ["func.func", "func.call", "func.return"]),
        ("tt.func private @declared(i32, !tt.ptr<f32>) -> i32", ["tt.func"]),
        ('"a.b"() : () -> () "c.d"() : () -> ()', ["a.b", "c.d"]),
        ("llvm.func @f() {\n  llvm.call_intrinsic \"llvm.x\"() : () -> ()\n  llvm.return\n}",
         ["llvm.func", "llvm.call_intrinsic", "llvm.return"]),
        ("gpu.module @m {\n  gpu.barrier\n  %0 = gpu.thread_id x\n}",
         ["gpu.module", "gpu.barrier", "gpu.thread_id"]),
        ("module {\n}\n{-#\n  external_resources: { a: { b: \"0x00\" } }\n#-}\n", ["builtin.module"]),
        ("scf.execute_region {\n scf.yield\n}", ["scf.execute_region", "scf.yield"]),
        ("ttg.barrier all\nttg.barrier local|global_read", ["ttg.barrier", "ttg.barrier"]),
    ],
)  # fmt: skip
def test_what_begins_and_ends_an_operation(text: str, names: list[str]):
    assert [operation.name for operation in parse_mlir(text).walk()] == names


def test_an_operation_may_span_lines_and_hold_comments():
    module = parse_mlir(
        "tt.func @f(%a: i32, // the first\n  %b: i32) {\n"
        "  %0 = arith.addi\n    %a, // <{[\n    %b\n    : i32\n  tt.return\n}"
    )
    assert [value.name for value in only(module, "arith.addi").operands] == ["%a", "%b"]


def test_a_unit_attribute_dictionary_is_no_region():
    module = parse_mlir(
        "tt.func @f(%c: i1) {\n  scf.if %c {\n    my.op {tt.flatten}\n  } {tt.warp_specialize}\n  tt.return\n}"
    )
    assert only(module, "scf.if").attributes == {"tt.warp_specialize": True}
    assert only(module, "my.op").attributes == {"tt.flatten": True}


def test_an_operation_without_a_named_result_still_has_it():
    module = parse_mlir("tt.func @f(%p: !tt.ptr<f32>) {\n  tt.load %p : !tt.ptr<f32>\n  tt.return\n}")
    assert [value.type for value in only(module, "tt.load").results] == [ScalarType("f32", 32)]


def test_a_symbol_is_an_attribute():
    module = parse_mlir('tt.func @"odd name"() {\n  tt.call @g() : () -> ()\n  tt.return\n}')
    assert module.functions[0].attributes["sym_name"] == "odd name"
    assert only(module, "tt.call").attributes["callee"] == SymbolReference("g")


def test_values_are_numbered_uniquely():
    module = parse_mlir(CONTROL)
    values = [value for operation in module.walk() for value in operation.results]
    values += [
        v for op in module.walk() for region in op.regions for block in region.blocks for v in block.arguments
    ]
    assert len({value.index for value in values}) == len(values)


def test_sources_keep_their_name_in_errors():
    module = parse_module(SourceText("file.ttgir", COPY))
    assert module.source.name == "file.ttgir"


def test_type_aliases_are_expanded():
    module = parse_mlir("!e = !tt.ptr<f32>\n!t = tensor<4x!e>\ntt.func @f(%a: !t) {\n  tt.return\n}")
    of = module.functions[0].regions[0].blocks[0].arguments[0].type
    assert of == TensorType((4,), PointerType(ScalarType("f32", 32)))


def test_counts_of_nested_operations():
    counts = Counter(operation.name for operation in parse_mlir(CONTROL).walk())
    assert counts["scf.yield"] == 4
    assert counts["ttg.warp_return"] == 2


def test_unknown_types_are_opaque_with_aliases_expanded():
    module = parse_mlir("#a = 3 : i32\nmy.op : !my.type<#a, [x]>\n%0 = my.op : !my.type<#a>")
    assert only(module, "my.op", 1).results[0].type == OpaqueType("!my.type<3 : i32>")
