"""Shared memory against the H200's counters: wavefronts and their ideals, launch by launch and per instruction."""

from collections import Counter
from functools import cache

import pytest

from gluon_inspect import targets
from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.model.versions import version_of
from gluon_inspect.traffic.launch import entry_function, evaluate_launch
from gluon_inspect.traffic.shared.records import shared_accesses
from gluon_inspect.traffic.shared.steps import OperandRead
from tests.shared.lowered import lowered_in
from tests.truth.cases import kernel_of, load, needs_truth

pytestmark = needs_truth()
ASIDE = {"tri_matmul_nn", "tri_matmul_nt", "tri_matmul_tn_f32"}


@cache
def evaluated(file, index):
    case = load(file)[index]
    kernel = kernel_of(case)
    module, target = parse_mlir(case["ttgir"]), targets.find(kernel.target)
    function = entry_function(module, kernel.name)
    run = evaluate_launch(module, function, kernel.launches[0], target, case["num_warps"])
    return module, target, run, version_of(kernel.triton_version)


def predicted(file, index):
    module, target, run, version = evaluated(file, index)
    accesses = shared_accesses(lowered_in(run, module, target, version), target)
    counted = [a for a in accesses if a.wavefronts is not None]
    return sum(a.wavefronts for a in counted), sum(a.wavefronts_ideal for a in counted)


def measured(case):
    counters = case["counters"]
    return counters["l1_wavefronts_shared"], counters["l1_wavefronts_shared_ideal"]


@pytest.mark.parametrize("file", ["h200", "h200b"])
def test_launches(file):
    cases = [(i, case) for i, case in enumerate(load(file)) if case["name"] not in ASIDE]
    wrong = {
        case["name"]: (predicted(file, i), measured(case))
        for i, case in cases
        if predicted(file, i) != measured(case)
    }
    assert len(wrong) <= 0.02 * len(cases), wrong


def instructions(file, index):
    """(root, bits, wavefronts, ideal) of every predicted instruction, over the whole launch."""
    module, target, run, version = evaluated(file, index)
    found = Counter()
    for side in lowered_in(run, module, target, version):
        for step in side.as_run.steps:
            found.update(rows_of(step, side.executions))
    return +found


def rows_of(step, executions):
    moved = step.transfer
    if isinstance(moved, OperandRead):
        total = moved.wavefronts * moved.warps * executions
        return {("HGMMA", 0, total, total): moved.instructions}
    cost = moved.cost()
    shape = (moved.instructions, moved.warps)
    wavefronts, ideal = (x.reshape(shape).sum(axis=1) for x in (cost.wavefronts, cost.ideal))
    rows = Counter()
    for w, i in zip(wavefronts, ideal, strict=True):
        scale = executions * step.share
        bits = 128 if moved.matrices else moved.bits
        rows[moved.mnemonic, bits, round(w * scale), round(i * scale)] += step.times
    return {row: count for row, count in rows.items() if row[2]}


def recorded(case):
    rows = Counter()
    for row in case["memory_instructions"]:
        words = [word for word in row["sass"].split() if word[0] != "@"]
        root = words[0].split(".")[0]
        if "Shared" in row["space"] and row["wavefronts"]:
            bits = int(row["bits"]) if row["bits"].isdigit() else 0
            rows[root, bits, row["wavefronts"], row["wavefronts_ideal"]] += 1
    return rows


@pytest.mark.parametrize("file", ["h200", "h200b"])
def test_instructions(file):
    cases = [(i, case) for i, case in enumerate(load(file)) if case["name"] not in ASIDE]
    wrong = {case["name"] for i, case in cases if instructions(file, i) != recorded(case)}
    assert len(wrong) <= 0.02 * len(cases), wrong
