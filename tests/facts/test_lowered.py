"""Operations are lowered once for a launch, and rules see what was counted."""

from collections import Counter

import pytest

from gluon_inspect.ir.operations import row_of
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect
from gluon_inspect.traffic.shared import lowering
from tests.shared.kernels import ARGUMENTS, capture_of, text_of
from tests.shared.recorded import load


@pytest.mark.parametrize("name", ARGUMENTS)
def test_each_operation_that_touches_shared_memory_is_lowered_once(name, monkeypatch):
    lowered = Counter()

    def counting(rule):
        def counted(op, context):
            lowered[op.span.start, op.name] += 1
            return rule(op, context)

        return counted

    monkeypatch.setattr(lowering, "_RULES", {row: counting(rule) for row, rule in lowering._RULES.items()})
    inspect(capture_of(name))
    rows = lowering.SHARED_OPS
    wanted = [(op.span.start, op.name) for op in parse_module(text_of(name)).walk() if row_of(op) in rows]
    assert lowered == Counter(wanted)


def test_bank_conflicts_of_an_atomics_result_are_reported():
    conflicts = 0
    for case in load("compiled_atomics"):
        launch = Launch("0", 1, (1, 1, 1), {})
        kernel = CompiledKernel(case["name"], "cuda:90", "3.6.0", {"ttgir": case["ttgir"]}, launches=(launch,))
        (report,) = inspect(Capture("test", (kernel,))).kernels
        shared = [a for a in report.accesses if a.space is Space.SHARED and a.direction is not Direction.COPY]
        above = {a.id for a in shared if a.wavefronts is not None and a.wavefronts > a.wavefronts_ideal}
        assert above == {f.subject for f in report.findings if f.rule == "GI201"}, case["name"]
        conflicts += len(above)
    assert conflicts == 20
