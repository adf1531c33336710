"""What findings lose: the model's time without what they blame, by the same rule of severity for all."""

import pytest

from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.pipeline import inspect
from gluon_inspect.recording.record import record

SCRIPT = """
import torch, triton, triton.language as tl

@triton.jit
def rows(src, dst, n, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * 8192 + tl.arange(0, 8192)
    row = i // COLUMNS
    tl.store(dst + i, tl.load(src + i % COLUMNS) + row.to(tl.int8), mask=i < n)

@triton.jit
def rows_of_scalar(src, dst, n, COLUMNS: tl.constexpr):
    row = tl.program_id(0) // COLUMNS
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(dst + i, tl.load(src + i) + row.to(tl.float32), mask=i < n)

@triton.jit
def turned(src, dst, SIZE: tl.constexpr):
    x, y = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    value = tl.load(src + x * SIZE + y)
    tl.store(dst + x * SIZE + y, value - tl.max(value, 0)[None, :])

@triton.jit
def turns(src, dst):
    i = tl.program_id(0) * 512 + tl.arange(0, 512)
    value = tl.load(src + i)
    tl.store(dst + 2 * i, value)
    tl.store(dst + 2 * i + 1, -value)

@triton.jit
def neighbours(src, dst):
    i = tl.program_id(0) * 512 + tl.arange(0, 512)
    value = tl.load(src + i)
    tl.store(dst + i, value)
    tl.store(dst + i + 1, -value)

@triton.jit
def strided(src, dst, stride):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(dst + i, tl.load(src + i * stride))

src, dst = torch.empty(2, 1 << 24, device="cuda")
bytes = torch.empty(2, 1 << 24, device="cuda", dtype=torch.int8)
for columns in (11000, 8192):
    rows[(2048,)](*bytes, 1 << 24, columns)
rows_of_scalar[(16384,)](src, dst, 1 << 24, 11000)
turns[(8192,)](src, dst)
neighbours[(8192,)](src, dst)
for stride in (0, 1):
    strided[(8192,)](src, dst, stride)
for size in (256, 64):
    turned[(1,)](src, dst, size, num_warps=4)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    script = tmp_path_factory.mktemp("prices") / "script.py"
    script.write_text(SCRIPT)
    return [
        (each.kernel.name, {finding.rule: finding for finding in reversed(each.findings)})
        for each in inspect(with_sass(record(str(script), "cuda:90"))).kernels
    ]


def of(found, name):
    return [findings for kernel, findings in found if kernel == name]


def test_divisions_by_what_is_no_power_of_two_are_found_and_priced(found):
    dividing, shifting = of(found, "rows")
    division = dividing["GI509"]
    assert division.evidence["divisors"] == (11000,)
    assert division.location.line in (7, 8)
    assert 0.01 <= division.cost < 0.5
    assert "GI509" not in shifting


def test_a_division_of_a_scalar_is_none(found):
    (scalar,) = of(found, "rows_of_scalar")
    assert "GI509" not in scalar


def test_a_spill_costs_what_its_traffic_takes(found):
    spilling, fitting = of(found, "turned")
    spill = spilling["GI302"]
    assert spill.cost > 0.2
    assert spill.severity == "error"
    assert "GI302" not in fitting


def test_fields_that_take_turns_lose_half_stored_sectors_and_not_what_l1_catches(found):
    (turns,) = of(found, "turns")
    assert turns["GI104"].evidence["sectors"] == 2 * turns["GI104"].evidence["sectors_ideal"]
    assert turns["GI104"].cost > 0.05
    assert "GI101" not in turns
    (neighbours,) = of(found, "neighbours")
    assert "GI104" not in neighbours


def test_equal_pointers_are_one_address(found):
    none, apart = of(found, "strided")
    assert none["GI105"].evidence["pointers"] == 1024
    assert "GI105" not in apart
