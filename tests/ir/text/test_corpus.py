"""IR this project did not write: ../shared/corpus, read where it lies."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.errors import ParseError

SHARED = Path(__file__).resolve().parents[4] / "shared"
CORPUS = SHARED / "corpus" / "upstream.jsonl.gz"
TRUTH = SHARED / "truth"


@pytest.mark.skipif(not CORPUS.is_file(), reason="../shared/corpus (IR from public compiler tests) is absent")
def test_every_accepted_module_is_read_with_the_same_operations():
    wrong: list[str] = []
    read = 0
    with gzip.open(CORPUS, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            if case["ok"]:
                read += 1
                wrong += _difference(case)
    assert not wrong
    assert read == 2034


def _difference(case: dict) -> list[str]:
    where = f"{case['file']}#{case['chunk']}"
    try:
        counts = Counter(operation.name for operation in parse_mlir(case["ir"], where).walk())
    except ParseError as error:
        return [str(error)]
    expected = Counter(case["ops"])
    implicit = expected["builtin.module"] - counts["builtin.module"]
    expected["builtin.module"] = counts["builtin.module"] = 0
    return (
        [] if expected == counts and implicit in (0, 1) else [f"{where}: {counts - expected} {expected - counts}"]
    )


@pytest.mark.skipif(not TRUTH.is_dir(), reason="../shared/truth (recorded hardware counters) is absent")
def test_every_value_of_the_recorded_kernels_has_a_type():
    unknown: Counter[str] = Counter()
    for name in ("h200", "h200b"):
        with gzip.open(TRUTH / f"{name}.json.gz", "rt") as file:
            for case in json.load(file)["cases"]:
                module = parse_mlir(case["ttgir"], case["name"])
                assert not module.opaque_names
                unknown.update(
                    operation.name
                    for operation in module.walk()
                    for value in operation.results
                    if getattr(value.type, "text", "!ttg.async.token") != "!ttg.async.token"
                )
    assert not unknown
