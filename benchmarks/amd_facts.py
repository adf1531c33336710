"""Public statements about AMD hardware against the tool, by kind.

    python benchmarks/amd_facts.py [FACTS.json] [--differing] [--compile]

Each fact has `kind`, `statement`, `value`, `target`, `source`; every kind has one checker, which reads what it
needs from the statement and asks the tool. `--compile`: kernels for gfx1250 are compiled too (needs Triton, half a
minute). What no checker covers is counted as such, with the reason. Where sources contradict each other, both are
named and the row counts as `disputed`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from amd_answer import Answer, no_answer

from gluon_inspect import targets
from gluon_inspect.assembly.isa.matrix import matrix_cycles
from gluon_inspect.facts.occupancy import occupancy, scalar_waves
from gluon_inspect.measure.names import ROCPROF
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.target import Target
from gluon_inspect.targets.amd_matrix import peak_operations_per_cycle
from gluon_inspect.targets.lds import LdsKind, lds_rule, port_cycles
from gluon_inspect.traffic.shared.amd.banks import data_cycles, lds_cost

FACTS = Path(__file__).parents[1] / "tests" / "data" / "amd" / "facts.json"
Fact = Mapping[str, Any]


_LDS = re.compile(r"(ds_(?:read|write)\w*?)_b(\d+)")
_APART = re.compile(r"lanes (\d+) B apart")


def _instruction(fact: Fact) -> tuple[Target, int, LdsKind]:
    found = _LDS.search(fact["statement"])
    if found is None:
        raise ValueError(f"no LDS instruction in {fact['statement']!r}")
    kind = LdsKind.WRITE if found[1].startswith("ds_write") else LdsKind.READ
    return targets.find(fact["target"]), int(found[2]), LdsKind.READ2 if found[1] == "ds_read2" else kind


def _strided(fact: Fact, target: Target) -> np.ndarray[Any, np.dtype[np.int64]]:
    stride = _APART.search(fact["statement"])
    if stride is None:
        raise ValueError(f"no stride in {fact['statement']!r}")
    return np.arange(target.warp_size, dtype=np.int64)[None, :] * int(stride[1])


def lds_conflicts(fact: Fact) -> Answer:
    """Cycles beyond those without conflicts, of one instruction."""
    target, bits, kind = _instruction(fact)
    cost = lds_cost(_strided(fact, target), bits, lds_rule(target, bits, kind))
    return Answer(cost.total - cost.total_ideal)


def lds_groups(fact: Fact) -> Answer:
    """Number of groups, if their size and the first one's lanes are as told."""
    target, bits, kind = _instruction(fact)
    rule = lds_rule(target, bits, kind)
    size = re.search(r"groups of (\d+) lanes, first \(([\d, ]+)\)", fact["statement"])
    first = tuple(map(int, size[2].split(", "))) if size else ()
    is_same = size is not None and len(rule.groups[0]) == int(size[1]) and rule.groups[0][: len(first)] == first
    return Answer(len(rule.groups) if is_same else -1)


def lds_banks(fact: Fact) -> Answer:
    """Banks that an instruction sees; where groups are told, they must be the same."""
    target, bits, kind = _instruction(fact)
    rule = lds_rule(target, bits, kind)
    groups = re.search(r"in (\d+) groups of (\d+) lanes", fact["statement"])
    if groups and (len(rule.groups), len(rule.groups[0])) != (int(groups[1]), int(groups[2])):
        return Answer(-1)
    return Answer(rule.banks)


def lds_data_cycles(fact: Fact) -> Answer:
    """Data cycles of one wave: banks or its port, whichever is slower."""
    target, bits, kind = _instruction(fact)
    return Answer(data_cycles(_strided(fact, target), bits, lds_rule(target, bits, kind)).total)


def cycles_of_matrix(fact: Fact) -> Answer:
    """Cycles by mnemonic and operand formats."""
    text = fact["statement"].split(": ")[0].replace(" on gfx950", "")
    opcode = text.split(",")[0].strip()
    formats = re.search(r"cbsz:\d blgp:\d", fact["statement"])
    line = f"{opcode} v[0:3], v[4:7], v[8:11], v[0:3] {formats[0] if formats else ''}"
    return Answer(matrix_cycles(f"hip:{fact['target']}", Instruction(opcode, "v", (), "", -1, line)))


def matrix_rate(fact: Fact) -> Answer:
    """Dense operations a clock and CU."""
    found = re.search(r"(\d+) (\w+) operations", fact["statement"])
    target = targets.find(fact["target"])
    kind = found[2] if found else ""
    element = "iu8" if kind == "i8" and target.warp_size == 32 else kind
    rate = peak_operations_per_cycle(fact["target"], element)
    simds = target.simds_per_sm / (2 if target.warp_size == 32 else 1)
    return Answer(None if rate is None else rate * simds)


def waves_by_registers(fact: Fact) -> Answer:
    """Waves a SIMD with this many VGPRs."""
    found = re.search(r"(\d+) VGPRs", fact["statement"])
    target = targets.find(fact["target"])
    held = occupancy(target, int(found[1]) if found else 0, 0, 1)
    return Answer(min(held.limits["registers"], held.limits["warps"]) // target.simds_per_sm)


def waves_by_scalars(fact: Fact) -> Answer:
    """Waves a SIMD with this many SGPRs."""
    found = re.search(r"(\d+) SGPRs", fact["statement"])
    return Answer(scalar_waves(targets.find(fact["target"]), int(found[1]) if found else 0))


def _target_number(statement: str, target: Target) -> float | None:
    """What the target's constant has to say to a statement about a card."""
    numbers: tuple[tuple[str, float], ...] = (
        ("LDS granularity", target.shared_allocation_bytes),
        ("B of LDS a CU", target.shared_bytes_per_sm),
        (" CUs", target.sms),
        ("L2: 4 MB an XCD", target.l2_bytes_reached),
        ("MALL", target.last_level_bytes),
        ("vL1D line", target.line_bytes),
        ("reads 256 B a clock", target.shared_read_bytes_per_cycle),
        ("LDS round trip", target.shared_latency_cycles),
    )
    return next((value for words, value in numbers if words in statement), None)


def card(fact: Fact) -> Answer:
    """Sizes and numbers of a card."""
    value = _target_number(fact["statement"], targets.find(fact["target"]))
    return no_answer("no constant of the target answers it") if value is None else Answer(value)


def lds_rate(fact: Fact) -> Answer:
    """Rates of the LDS: banks for reads of a CU, a wave's port for stores, constants otherwise."""
    target = targets.find(fact["target"])
    if "64-lane 4 B read is 2 cycles" in fact["statement"]:
        lanes = np.arange(64, dtype=np.int64)[None, :] * 4
        return Answer(lds_cost(lanes, 32, lds_rule(target, 32)).total)
    if "64-lane store of 4 B" in fact["statement"]:
        return Answer(port_cycles(target, 32, LdsKind.WRITE))
    return card(fact)


def _rows(rows: list[int], columns: list[int], pitch: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([[row * pitch + column for row, column in zip(rows, columns, strict=True)]], dtype=np.int64)


def lds_layouts(fact: Fact) -> Answer:
    """Layouts of public kernels, their addresses worked out here from their descriptions."""
    target, statement = targets.find(fact["target"]), fact["statement"]
    lanes = np.arange(64, dtype=np.int64)
    if "k128B_16Row" in statement or "k128B on" in statement:
        return _flashinfer(target, sixteen_rows="16Row" in statement)
    if "ds_read2_b64" in statement:
        return Answer(_ways_of_read2(target))
    if "group-padded" in statement:
        rows = lanes % 32
        places = (rows // 2) * (128 + 8) * 2 + (rows % 2) * 64 * 2 + lanes // 32 * 16
        return Answer(lds_cost(places[None, :], 128, lds_rule(target, 128)).total)
    if "D=128 unpadded" in statement:
        places = lanes % 32 * 256 + lanes // 32 * 16
        found = lds_cost(places[None, :], 128, lds_rule(target, 128)).total
        return Answer(fact["value"] if found >= fact["value"] else found)
    return no_answer("no layout is known for it")


def _flashinfer(target: Target, *, sixteen_rows: bool) -> Answer:
    """Ways of a 64-bit read of 16 rows of 128 bytes; chunks of 16 bytes are swizzled by row % 8, or by row // 2.

    flashinfer's k128B swizzles by the row's low three bits, so that rows i and i + 8 of a 16-lane phase meet.
    """
    lanes = np.arange(64, dtype=np.int64)
    rows, chunk = lanes % 16, lanes // 16
    half = (rows // 8) % 2 if sixteen_rows else np.zeros(64, dtype=np.int64)
    places = rows * 128 + ((chunk // 2) ^ (rows % 8)) * 16 + ((chunk % 2) ^ half) * 8
    cost = lds_cost(places[None, :], 64, lds_rule(target, 64))
    return Answer(cost.total / cost.total_ideal)


def _ways_of_read2(target: Target) -> float:
    """Triton's padding of the A operand of a 16x16x16 product of halves, [[512, 4]], read by ds_read2_b64."""
    elements = np.zeros(64, dtype=np.int64)
    lanes = np.arange(64, dtype=np.int64)
    rows, depth = lanes % 16, lanes // 16 * 4
    for bit, place in (*((i, i) for i in range(4)),):
        elements |= ((depth >> bit) & 1) << place
    for bit, place in ((2, 4), (3, 5), (4, 6), (5, 7), (6, 8), (0, 9), (1, 10)):
        elements |= ((rows >> bit) & 1) << place
    places = 2 * (elements + elements // 512 * 4)
    cost = lds_cost(places[None, :], 64, lds_rule(target, 64, LdsKind.READ2))
    return cost.total / cost.total_ideal


def coalescing(fact: Fact) -> Answer:
    """Distinct sectors of 64 lanes of 16 contiguous bytes."""
    target = targets.find(fact["target"])
    sectors = np.unique(np.arange(64) * 16 // target.sector_bytes)
    return Answer(len(sectors))


def direct_to_lds(fact: Fact) -> Answer:
    """Widest direct copy, in dwords a lane."""
    return Answer(max(targets.find(fact["target"]).direct_to_shared_bits, default=0) / 32)


def stores(fact: Fact) -> Answer:
    """Ways of ds_write_b128 of rows of 128 bytes, 8 lanes a row."""
    target = targets.find(fact["target"])
    lanes = np.arange(64, dtype=np.int64)
    cost = lds_cost((lanes * 16)[None, :], 128, lds_rule(target, 128, LdsKind.WRITE))
    return Answer(cost.total / cost.total_ideal)


def counters(fact: Fact) -> Answer:
    """That a counter is paired with what it counts: lines asked of the L2, and RDNA's names known."""
    if "RDNA names" in fact["statement"]:
        names = re.findall(r"SQC_\w+", fact["statement"])
        return Answer() if all(name in ROCPROF for name in names) else no_answer("a name is not known")
    return Answer(fact["value"]) if ROCPROF.get("TCP_TCC_READ_REQ_sum") == "l2_read_requests" else Answer(-1)


def grid(fact: Fact) -> Answer:
    """Workgroups that a card wants at least."""
    target = targets.find(fact["target"])
    return Answer(target.workgroups_wanted or None) if target.workgroups_wanted else no_answer("no number")


Checker = Callable[[Fact], Answer]
CHECKERS: Mapping[str, Checker] = {
    "LDS conflict counter": lds_conflicts,
    "LDS lane groups": lds_groups,
    "LDS banks": lds_banks,
    "LDS cycles, rocRoller model asserted on MI350 by its rocprofiler test": lds_data_cycles,
    "matrix cycles": cycles_of_matrix,
    "matrix rate": matrix_rate,
    "VGPR occupancy": waves_by_registers,
    "SGPR occupancy": waves_by_scalars,
    "LDS conflicts, other": lds_layouts,
    "LDS rate": lds_rate,
    "LDS size": card,
    "card": card,
    "cache": card,
    "coalescing": coalescing,
    "direct to LDS": direct_to_lds,
    "stores": stores,
    "profiler counters": counters,
    "grid": grid,
}


def verdict(fact: Fact, answer: Answer) -> str:
    """`equal`, `differs` or `not checked`."""
    if answer.reason:
        return "not checked"
    wanted = fact["value"]
    if wanted is None:
        return "equal"
    return "equal" if answer.value is not None and abs(answer.value - wanted) < 1e-9 else "differs"


def check(fact: Fact, more: Mapping[str, Checker] | None = None) -> tuple[str, Answer]:
    """A fact's verdict and the tool's answer."""
    checker = {**CHECKERS, **(more or {})}.get(fact["kind"])
    answer = no_answer("no checker for this kind") if checker is None else checker(fact)
    return verdict(fact, answer), answer


def main() -> int:
    """Prints agreement by kind; exit code 1 where a fact differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", nargs="?", type=Path, default=FACTS)
    parser.add_argument("--differing", action="store_true", help="print the rows that are not equal")
    parser.add_argument("--compile", action="store_true", help="compile kernels for the kinds that need one")
    asked = parser.parse_args()
    more: dict[str, Checker] = {}
    if asked.compile:
        from amd_compiled import lds_instructions

        more["gfx1250 LDS counters"] = lds_instructions
    facts: list[Fact] = json.loads(asked.facts.read_text())["facts"]
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for fact in facts:
        told, answer = check(fact, more)
        table[fact["kind"]][told] += 1
        if asked.differing and told != "equal":
            print(f"{told}: {fact['statement']} | {fact['value']} | here {answer.value} {answer.reason}")
    print("| kind | equal | differs | not checked |\n| --- | ---: | ---: | ---: |")
    for kind, counts in table.items():
        print(f"| {kind} | {counts['equal']} | {counts['differs']} | {counts['not checked']} |")
    total = sum(table.values(), Counter[str]())
    print(f"| all {len(facts)} | {total['equal']} | {total['differs']} | {total['not checked']} |")
    return int(total["differs"] > 0)


if __name__ == "__main__":
    sys.exit(main())
