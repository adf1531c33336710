"""An access placed in its own layout counts what its execution counted, pointers and offsets of buffers alike."""

import pytest

from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Launch
from gluon_inspect.targets import find
from gluon_inspect.traffic.launch import evaluate_launch

TEXT = """
#b = #ttg.blocked<{{sizePerThread = [8], threadsPerWarp = [{lanes}], warpsPerCTA = [4], order = [0]}}>
#s = #ttg.swizzled_shared<{{vec = 2, perPhase = 1, maxPhase = 1, order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = {lanes} : i32}}
{{
  tt.func public @copy(%x: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}, %n: i32 {{tt.divisibility = 16 : i32}}) {{
    %range = tt.make_range {{end = 4096 : i32, start = 0 : i32}} : tensor<4096xi32, #b>
    %bound = tt.splat %n : i32 -> tensor<4096xi32, #b>
    %mask = arith.cmpi slt, %range, %bound : tensor<4096xi32, #b>
    %all = tt.splat %x : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>, #b>
    %at = tt.addptr %all, %range : tensor<4096x!tt.ptr<f16>, #b>, tensor<4096xi32, #b>
    {access}
    tt.return
  }}
}}
"""
POINTERS = "%v = tt.load %at, %mask : tensor<4096x!tt.ptr<f16>, #b>"
OFFSETS = "%v = amdg.buffer_load %x[%range], %mask : tensor<4096xf16, #b>"
STORED = "tt.store %at, %v, %mask : tensor<4096x!tt.ptr<f16>, #b>"
COPIED = (
    "%m = ttg.local_alloc : () -> !ttg.memdesc<4096xf16, #s, #ttg.shared_memory, mutable>\n"
    "%c = ttg.async_copy_global_to_local %at, %m mask %mask : tensor<4096x!tt.ptr<f16>, #b>"
    " -> <4096xf16, #s, #ttg.shared_memory, mutable>"
)


@pytest.mark.parametrize(
    ("target", "lanes", "access", "vector"),
    [
        ("cuda:90", 32, POINTERS, 8),
        ("hip:gfx942", 64, f"{POINTERS}\n{STORED}", 8),
        ("hip:gfx942", 64, OFFSETS, 8),
        ("cuda:90", 32, COPIED, 8),
    ],
    ids=["pointers", "stored", "offsets", "copied"],
)
def test_an_access_in_its_own_layout_counts_what_it_counted(target, lanes, access, vector):
    module = parse_module(TEXT.format(lanes=lanes, access=access))
    (function,) = module.functions
    launch = Launch("0", 1, (1, 1, 1), {"x": (1 << 20) + 16, "n": 3000})
    accesses = evaluate_launch(module, function, launch, find(target), 4).accesses.values()
    assert accesses
    for each in accesses:
        placed = each.placed_in(each.layout)
        assert placed.vector == each.vector == vector
        assert placed.traffic == each.tally.traffic
