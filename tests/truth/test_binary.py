"""Registers a thread and CTAs an SM from SASS text, against the counters of every recorded launch."""

from gluon_inspect import targets
from gluon_inspect.assembly.binary import read_binary
from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.facts.occupancy import occupancy
from tests.truth.cases import kernel_of, load, needs_truth

pytestmark = needs_truth()
H200 = targets.find("cuda:90")


def all_cases():
    return [*load("h200"), *load("h200b")]


def test_registers_spills_and_limits_from_the_listing():
    wrong = []
    for case in all_cases():
        counters, found = case["counters"], read_binary(kernel_of(case))
        if found.registers_per_thread != case["n_regs"] or found.spill_bytes != case["n_spills"]:
            wrong.append((case["name"], found.registers_per_thread, case["n_regs"]))
            continue
        limits = occupancy(H200, found.registers_per_thread, case["shared"], case["num_warps"]).limits
        if limits["registers"] != counters["occupancy_limit_registers"]:
            wrong.append((case["name"], limits))
    assert not wrong


def test_every_listing_is_read_whole():
    for case in all_cases():
        (function,) = parse_sass(case["sass"]).functions
        assert len(function.instructions) == sum("\t" in line for line in case["sass"].split("\n"))
        assert all(each.opcode for each in function.instructions)
