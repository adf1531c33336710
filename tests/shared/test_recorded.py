"""Predictions against what was compiled and counted: conversions, reductions, scans, swizzles, paddings."""

import re
from collections import Counter

import pytest

from gluon_inspect import targets
from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.layouts.conversion import conversion_kind
from gluon_inspect.layouts.flat import flat
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.traffic.launch import entry_function, evaluate_launch
from gluon_inspect.traffic.shared.conversion import MatrixSupport, through_scratch
from gluon_inspect.traffic.shared.records import shared_accesses
from tests.shared.lowered import allocated, lowered, lowered_in
from tests.shared.recorded import kernel_of, load

TARGET = targets.find("cuda:90")
EXACT_KINDS = ("conv", "red", "cred", "scan")


def layouts(case):
    shape = tuple(case["shape"])
    return [linear_layout(read_layout(case[end]), shape) for end in ("source", "target")]


def sides(case):
    return [flat(layout) for layout in layouts(case)]


def test_what_a_conversion_needs():
    for case in load("compiled_conversions"):
        kind = conversion_kind(*layouts(case), (3, 6))
        shuffles = any(name.startswith("shfl") for name in case["ptx"])
        assert (kind is ConversionKind.SHARED) == bool(case["shared"]), case
        # a shuffle of lanes that hold copies may come out as none
        assert kind is ConversionKind.SHUFFLE or not shuffles, case


def compiled(case, prefix):
    """(bits a lane, instructions, by matrices, transposed) of the PTX's stores or loads."""
    for name, count in case["ptx"].items():
        if name.startswith(f"{prefix}.shared"):
            vector = re.search(r"\.v(\d)", name)
            bits = int(re.search(r"b(\d+)", name)[1]) * (int(vector[1]) if vector else 1)
            yield bits, count, False, False
        elif name.startswith(f"{prefix}matrix"):
            yield 32 * int(re.search(r"\.x(\d)", name)[1]), count, True, "trans" in name


def test_instructions_scratch_and_barriers_of_conversions():
    cases = [case for case in load("compiled_conversions") if case["shared"]]
    assert len(cases) > 300
    for case in cases:
        found = through_scratch(*sides(case), case["bits"], MatrixSupport(True, True))
        assert found.scratch_bytes == case["shared"], case
        barriers = sum(n for name, n in case["ptx"].items() if name.startswith("bar.sync"))
        assert found.barriers == barriers, case
        for prefix, transfer in (("st", found.store), ("ld", found.load)):
            count = transfer.instructions * found.repetitions
            predicted = (transfer.bits, count, bool(transfer.matrices), transfer.transposed)
            assert list(compiled(case, prefix)) == [predicted], case


def test_atomics_whose_results_have_copies():
    for case in load("compiled_atomics"):
        module = parse_mlir(case["ttgir"])
        stored = {access.direction: access for access in shared_accesses(lowered(module, TARGET), TARGET)}
        predicted = [(w.bits, w.instructions) for access in stored.values() for w in access.widths]
        real = [(bits, count) for prefix in ("st", "ld") for bits, count, _, _ in compiled(case, prefix)]
        assert predicted == real, case["name"]
        assert allocated(module, TARGET).total_bytes == case["shared"], case["name"]


def evaluated(case):
    kernel = kernel_of(case)
    module = parse_mlir(case["ttgir"])
    function = entry_function(module)
    return module, evaluate_launch(module, function, kernel.launches[0], TARGET, case["num_warps"])


def predicted(case):
    module, run = evaluated(case)
    accesses = shared_accesses(lowered_in(run, module, TARGET, (3, 6)), TARGET)
    totals = sum(a.wavefronts or 0 for a in accesses), sum(a.wavefronts_ideal or 0 for a in accesses)
    return totals, any(a.confidence is not Confidence.EXACT for a in accesses)


@pytest.mark.parametrize("kind", EXACT_KINDS)
def test_wavefronts_as_counted(kind):
    cases = [case for case in load("counted_launches") if case["kind"] == kind]
    assert cases
    for case in cases:
        assert predicted(case)[0] == (case["wavefronts"], case["ideal"]), case["name"]


def test_swizzles_and_paddings_as_counted_or_marked():
    outcome = Counter()
    for case in load("counted_launches"):
        if case["kind"] == "thru":
            totals, assumed = predicted(case)
            outcome[totals == (case["wavefronts"], case["ideal"]), assumed] += 1
    assert outcome[False, False] == 0, outcome
    assert outcome[True, False] > 20, outcome


def test_shared_bytes_as_compiled():
    for case in load("counted_launches"):
        memory = allocated(parse_mlir(case["ttgir"]), TARGET, (3, 6))
        assert memory.total_bytes == case["shared"], case["name"]
