"""Answers as JSON: everything, whether or not a page shows it; null where unknown."""

import json
from collections.abc import Sequence
from typing import Any

from gluon_inspect.codec import plain
from gluon_inspect.model.location import Location
from gluon_inspect.passes.answer import Answer, Asked, KernelAnswer
from gluon_inspect.passes.blame import Blame, Change, Step
from gluon_inspect.passes.compared import Compared
from gluon_inspect.passes.comparison import Parting
from gluon_inspect.passes.diff import diff_of
from gluon_inspect.passes.excerpts import described
from gluon_inspect.passes.failure import Failure
from gluon_inspect.passes.inferred import Inferred
from gluon_inspect.passes.phrases import summary
from gluon_inspect.passes.purposes import purpose
from gluon_inspect.passes.sightings import Sighting
from gluon_inspect.passes.states import PassRun
from gluon_inspect.passes.timeline import Row, Timeline

SCHEMA_VERSION = 1
_LEVELS = ("triton", "triton_gpu", "llvm")


def as_json(answer: Answer, asked: Asked) -> str:
    """The document as text that ends in a newline."""
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    if answer.kernels:
        document["kernels"] = [_kernel(one, asked) for one in answer.kernels]
    if answer.compared:
        document["compared"] = [_compared(one) for one in answer.compared]
        document["alone"] = list(answer.alone)
    return json.dumps(document, indent=2) + "\n"


def _kernel(answer: KernelAnswer, asked: Asked) -> dict[str, Any]:
    kernel, timeline = answer.subject.kernel, answer.subject.timeline
    found = _named(answer) | {
        "error": kernel.error or None,
        "failure": None if timeline is None else _failure(timeline.compilation.failure),
        "passes": [] if timeline is None else [_row(row) for row in timeline.rows(everything=True)],
        "inferred": [_inferred(one) for one in answer.inferred],
        "blame": None if answer.followed is None else _blame(answer.followed),
    }
    if asked.diff is not None and timeline is not None:
        found["diff"] = _diff(timeline, asked.diff)
    return found


def _named(answer: KernelAnswer) -> dict[str, Any]:
    kernel = answer.subject.kernel
    return {"name": kernel.name, "target": kernel.target, "triton_version": kernel.triton_version or None}


def _row(row: Row) -> dict[str, Any]:
    run, after = row.run, row.after
    known = run.after is not None
    return {
        **_pass(run),
        "options": run.options,
        "scope": run.scope or None,
        "within": run.within or None,
        "level": _LEVELS[run.after.level] if run.after is not None else None,
        "changed": row.changed,
        "failed": run.failed,
        "operations": dict(after.operations) if known else None,
        "conversions": dict(after.conversions) if after.state is not None else None,
        "accesses": dict(after.widths) if after.state is not None else None,
        "shared_bytes": after.shared_bytes,
        "problem": after.problem or None,
    }


def _pass(run: PassRun) -> dict[str, Any]:
    return {"index": run.index, "name": run.name, "argument": run.argument, "purpose": purpose(run) or None}


def _failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "pass": failure.pass_name or None,
        "message": failure.message,
        "location": _location(failure.location),
    }


def _location(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {"file": location.file, "line": location.line, "column": location.column or None}


def _inferred(one: Inferred) -> dict[str, Any]:
    return {
        "location": _location(one.location),
        "operation": one.operation,
        "asked": one.asked,
        "shape": list(one.shape),
        "layout": one.layout,
        "pass": _pass(one.run),
        "reason": one.reason or None,
    }


def _blame(blame: Blame) -> dict[str, Any]:
    wanted = blame.wanted
    return {
        "line": wanted.line or None,
        "file": wanted.file or None,
        "operation": wanted.operation or None,
        "origin": [_sighting(one) | {"text": text} for one, text in blame.origin],
        "steps": [_step(step) for step in blame.steps],
        "final": [_sighting(one) for one in blame.final],
    }


def _sighting(one: Sighting) -> dict[str, Any]:
    return {
        "operation": one.name,
        "description": described(one),
        "vector_bits": one.vector_bits,
        "kind": one.kind or None,
        "location": _location(one.location),
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "pass": _pass(step.run),
        "or_unread": [_pass(run) for run in step.unread],
        "changes": [_change(change) for change in step.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    before, after = change.before, change.after
    return {
        "what": change.what.value,
        "count": change.count,
        "summary": summary(change),
        "before": None if before is None else _sighting(before) | {"text": change.before_text},
        "after": None if after is None else _sighting(after) | {"text": change.after_text},
    }


def _diff(timeline: Timeline, index: int) -> list[str] | None:
    runs = timeline.compilation.runs
    if not 0 <= index < len(runs):
        return None
    return [f"{line.sign} {line.text}" for line in diff_of(runs[index])]


def _compared(compared: Compared) -> dict[str, Any]:
    sides = (compared.left, compared.right)
    kernels = [_named(KernelAnswer(one)) | {"origin": one.capture.origin} for one in sides]
    failures = [None if one.timeline is None else _failure(one.timeline.compilation.failure) for one in sides]
    return {
        "a": kernels[0] | {"failure": failures[0], "machine": plain(compared.machines[0])},
        "b": kernels[1] | {"failure": failures[1], "machine": plain(compared.machines[1])},
        "verdict": compared.verdict,
        "same_ir": compared.same_ir,
        "same_layouts": compared.same_layouts,
        "same_code": compared.same_code,
        "partings": [_parting(one) for one in compared.partings],
    }


def _parting(parting: Parting) -> dict[str, Any]:
    sides: Sequence[PassRun | None] = (parting.left, parting.right)
    a, b = (None if run is None else _pass(run) for run in sides)
    return {
        "what": parting.what,
        "a": a,
        "b": b,
        "for_good": parting.for_good,
        "difference": list(parting.difference),
    }
