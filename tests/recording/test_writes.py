"""Which parameters a kernel leaves alone."""

from __future__ import annotations

from gluon_inspect.recording.child.writes import read_only

KERNEL = """
tt.func public @k(%x: !tt.ptr<f32> loc("x"(#l)), %i: !tt.ptr<i32> loc("i"(#l)), %o: !tt.ptr<f32> loc("o"(#l)),
 %n: i32 loc("n"(#l))) {{
  %off = tt.make_range {{end = 8 : i32, start = 0 : i32}} : tensor<8xi32, #b> loc(#l)
  %0 = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #b> loc(#l)
  %1 = tt.addptr %0, %off : tensor<8x!tt.ptr<f32>, #b>, tensor<8xi32, #b> loc(#l)
  %2 = tt.splat %o : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #b> loc(#l)
  %3 = tt.addptr %2, %off : tensor<8x!tt.ptr<f32>, #b>, tensor<8xi32, #b> loc(#l)
  %4 = tt.splat %i : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>, #b> loc(#l)
  %5 = tt.load %4 : tensor<8x!tt.ptr<i32>, #b> loc(#l)
  %6 = tt.load %1 : tensor<8x!tt.ptr<f32>, #b> loc(#l)
  {body}
  tt.return loc(#l)
}}
"""


def left_alone(body: str) -> set[str]:
    return set(read_only(KERNEL.format(body=body)))


def test_a_store_writes_through_its_pointer_only() -> None:
    assert left_alone("tt.store %3, %6 : tensor<8x!tt.ptr<f32>, #b> loc(#l)") == {"x", "i"}


def test_an_atomic_writes() -> None:
    atomic = (
        "%7 = tt.atomic_rmw fadd, relaxed, gpu, %1, %6 : (tensor<8x!tt.ptr<f32>, #b>) -> tensor<8xf32> loc(#l)"
    )
    assert left_alone(atomic) == {"i", "o"}


def test_a_pointer_carried_round_a_loop_counts() -> None:
    loop = (
        "%7 = scf.for %k = %a to %b step %c iter_args(%p = %3) -> (tensor<8x!tt.ptr<f32>, #b>)  : i32 {\n"
        "  tt.store %p, %6 : tensor<8x!tt.ptr<f32>, #b> loc(#l)"
    )
    assert left_alone(loop) == {"x", "i"}


def test_an_operation_that_is_not_known_may_write() -> None:
    assert left_alone("tt.call @helper(%1) : (tensor<8x!tt.ptr<f32>, #b>) -> () loc(#l)") == {"i", "o"}
    assert left_alone("%7 = new.thing %0, %4 : !tt.ptr<f32> loc(#l)") == {"o"}


def test_text_without_a_function_vouches_for_nothing() -> None:
    assert read_only("") == frozenset()
