"""Copies under way in loops, and what partitions hand to each other."""

import pytest

from gluon_inspect.ir.buffers import channels
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect
from gluon_inspect.traffic.bulk.pipelines import streams
from tests.bulk.samples import module

DESC = "!tt.tensordesc<64x128xf16, #shared>"
TILE = "!ttg.memdesc<64x128xf16, #shared, #smem, mutable>"
BAR = "!ttg.memdesc<1xi64, #bar, #smem, mutable>"
VALUE = "tensor<64x128xf16, #rows>"


def many(count, of):
    return of.replace("memdesc<", f"memdesc<{count}x")


def alloc(slots):
    """Tiles and barriers, `slots` of each."""
    return f"""
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %tiles = ttg.local_alloc : () -> {many(slots, TILE)}
    %bars = ttg.local_alloc : () -> {many(slots, BAR)}
"""


def copy(name, slot, slots):
    return f"""
      %t{name} = ttg.memdesc_index %tiles[{slot}] : {many(slots, TILE)} -> {TILE}
      %b{name} = ttg.memdesc_index %bars[{slot}] : {many(slots, BAR)} -> {BAR}
      ttng.barrier_expect %b{name}, 16384, %true : {BAR}
      ttng.async_tma_copy_global_to_local %src[{slot}, %c0] %t{name}, %b{name}, %true : {DESC}, {BAR} -> {TILE}
"""


def take(name, slot, slots):
    return f"""
      %v{name} = ttg.memdesc_index %tiles[{slot}] : {many(slots, TILE)} -> {TILE}
      %w{name} = ttg.memdesc_index %bars[{slot}] : {many(slots, BAR)} -> {BAR}
      ttng.wait_barrier %w{name}, %c0, %true : {BAR}
      %x{name} = ttg.local_load %v{name} : {TILE} -> {VALUE}
"""


def loop(body):
    return f"    scf.for %i = %c0 to %n step %c1 : i32 {{\n{body}\n    }}\n"


def serial():
    return module(alloc(1) + loop(copy("a", "%c0", 1) + take("a", "%c0", 1)))


def overlapped():
    body = loop(copy("a", "%i", 2) + take("a", "%i", 2))
    return module(alloc(2) + copy("p", "%c0", 2) + body)


def late():
    """The copy stands behind the wait: what is under way was started an iteration before."""
    return module(alloc(2) + copy("p", "%c0", 2) + loop(take("a", "%i", 2) + copy("a", "%i", 2)))


@pytest.mark.parametrize(
    ("text", "slots", "ahead", "in_flight", "serial"),
    [(serial(), 1, 0, 1, True), (overlapped(), 2, 1, 2, False), (late(), 2, 1, 2, False)],
    ids=["serial", "overlapped", "late"],
)
def test_copies_of_a_loop_that_waits_for_them(text, slots, ahead, in_flight, serial):
    (found,) = streams(parse_module(text))
    assert (found.slots, found.ahead, found.in_flight, found.is_serial) == (slots, ahead, in_flight, serial)
    assert found.waits_itself


def test_a_copy_around_another_loop_is_not_called_serial():
    inner = "      scf.for %j = %c0 to %n step %c1 : i32 {\n      }\n"
    (found,) = streams(parse_module(module(alloc(1) + loop(copy("a", "%c0", 1) + take("a", "%c0", 1) + inner))))
    assert (found.in_flight, found.innermost, found.is_serial) == (1, False, False)


def specialised(slots):
    tiles, bars = many(slots, TILE), many(slots, BAR)
    body = loop(copy("a", "%i", slots)).replace("%true", "%yes").replace("%c0", "%z").replace("%c1", "%o")
    for outer, inner in (("%tiles", "%ts"), ("%bars", "%bs"), ("%src", "%d"), ("%n", "%m")):
        body = body.replace(outer, inner)
    return module(f"""{alloc(slots)}
    ttg.warp_specialize(%tiles, %bars, %src, %n) attributes {{requestedRegisters = array<i32: 24>}}
    default {{
{loop(take("a", "%i", slots))}
      ttg.warp_yield
    }}
    partition0(%ts: {tiles}, %bs: {bars}, %d: {DESC}, %m: i32) num_warps(1) {{
      %yes = arith.constant true
      %z = arith.constant 0 : i32
      %o = arith.constant 1 : i32
{body}
      ttg.warp_return
    }} : ({tiles}, {bars}, {DESC}, i32) -> ()
""")


@pytest.mark.parametrize(("slots", "serial"), [(1, True), (3, False)])
def test_copies_that_another_partition_awaits_are_held_back_by_their_buffers(slots, serial):
    (found,) = streams(parse_module(specialised(slots)))
    assert (found.slots, found.in_flight, found.is_serial) == (slots, slots, serial)
    assert not found.waits_itself


def test_channels_between_partitions():
    found = channels(parse_module(specialised(3)))
    assert [(each.is_barrier, each.slots, each.makers, each.takers) for each in found] == [
        (False, 3, ("partition0",), ("default",)),
        (True, 3, ("partition0",), ("default",)),
    ]
    assert channels(parse_module(serial())) == ()


def report(text):
    kernel = CompiledKernel("kernel", "cuda:100", "3.9.0", {"ttgir": text}, launches=(Launch("0", 1, (1, 1, 1)),))
    return inspect(Capture("test", (kernel,))).kernels[0]


def test_findings_and_tables():
    found = report(serial())
    (finding,) = [each for each in found.findings if each.rule == "GI504"]
    assert finding.severity == "warning"
    assert finding.subject in {each.id for each in found.accesses}
    assert "GI504" not in {each.rule for each in report(overlapped()).findings}
    tables = {each.key: each for each in report(specialised(3)).tables}
    assert [row[:3] for row in tables["channels"].rows] == [("tiles", "shared memory", 3), ("bars", "barrier", 3)]
    assert tables["pipelines"].rows[0][3:] == (3, 0, 3, "code elsewhere")
