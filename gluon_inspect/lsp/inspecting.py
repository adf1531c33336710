"""From a script to what is known of it: its report at once, what explaining its kernels adds afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.first_warp import draw
from gluon_inspect.explaining.fixes import Fixed, checked, possible
from gluon_inspect.fixing.files import current
from gluon_inspect.fixing.patch import Sources
from gluon_inspect.lsp.seen import Seen, Studied, real
from gluon_inspect.model.explanation import KernelExplanation
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.request import Request, Tell
from gluon_inspect.project.configuration import Configuration
from gluon_inspect.project.suppressions import suppressed
from gluon_inspect.workflow.executors import default_jobs
from gluon_inspect.workflow.inspection import inspect_all

_MOST_SECONDS = 600.0
"""Of a script that runs whenever a file is saved."""
Publish = Callable[[Seen], None]


def request_for(script: str, configuration: Configuration) -> Request:
    """A script with the project's targets; reports of unchanged scripts are at hand."""
    return Request((script,), configuration.targets, timeout_seconds=_MOST_SECONDS, cache=True)


def inspect(request: Request, tell: Tell, publish: Publish, before: Seen | None = None) -> None:
    """Publish what is known of a script: its report first, then the fixes of the kernels that have findings.

    A kernel that is as it was `before` is not explained again; where its fixes stand may have changed.
    """
    script = request.paths[0]
    report = suppressed(inspect_all(request, tell, default_jobs()).report())
    texts, stale = current(report.sources)
    seen = Seen(script, report, {}, {real(file): text for file, text in texts.items()})
    publish(seen)
    sources, studied, same = Sources(texts, stale), dict[int, Studied](), _as_before(before)
    for index, kernel in enumerate(report.kernels):
        tell(f"explaining {kernel.name}")
        known = next((each for old, each in same if _facts(old) == _facts(kernel)), None)
        studied[index] = _placed(kernel, known or _studied(kernel), sources)
    if any(each.fixes or each.drawings for each in studied.values()):
        publish(replace(seen, studied=studied))


def _as_before(before: Seen | None) -> list[tuple[KernelReport, Studied]]:
    return [] if before is None else [(before.report.kernels[at], each) for at, each in before.studied.items()]


def _facts(kernel: KernelReport) -> tuple[object, ...]:
    """All that an explanation is made of, the time that compiling took left out."""
    compiled = kernel.kernel
    own = compiled.name, compiled.target, compiled.constexprs, compiled.stages.get("ttgir")
    return *own, kernel.launch, kernel.num_warps, kernel.accesses, kernel.findings, kernel.cost


def _studied(kernel: KernelReport) -> Studied:
    try:
        proposals = explain(kernel).proposals if kernel.findings else ()
        return Studied((), proposals, dict(_drawings(kernel)))
    except InspectError:
        return Studied()


def _placed(kernel: KernelReport, known: Studied, sources: Sources) -> Studied:
    """With the fixes as the files are now."""
    found, _ = possible([KernelExplanation(kernel, "", (), known.proposals, ())], sources)
    return replace(known, fixes=tuple(fix for own in found for fix in own))


def _drawings(kernel: KernelReport) -> Iterator[tuple[str, tuple[str, ...]]]:
    evaluated = WhatIf(kernel).base
    for access in kernel.accesses:
        seen = None if evaluated is None else evaluated.accesses.get(access.result_of)
        drawn = () if seen is None else draw(seen)
        if drawn:
            yield access.id, drawn


def tried(seen: Seen, index: int, number: int, request: Request, tell: Tell) -> Fixed:
    """One fix of a kernel, compiled and inspected."""
    kernel = seen.report.kernels[index]
    proposal = seen.studied[index].fixes[number].proposal
    explanation = KernelExplanation(kernel, "", (), (proposal,), ())
    sources = Sources(*current(seen.report.sources))
    own = replace(request, targets=(kernel.kernel.target,), cache=False)
    return checked(seen.report, [explanation], sources, own, tell)


def scripts_of(configuration: Configuration) -> list[str]:
    """The scripts that a project names, patterns filled in, each `file.py` or `file.py::name`."""
    folder = configuration.folder
    if folder is None:
        return []
    found: dict[str, None] = {}
    for text in configuration.scripts:
        pattern, separator, selector = text.partition("::")
        for path in _matching(folder, pattern):
            found.setdefault(f"{path}{separator}{selector}")
    return list(found)


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    if Path(pattern).is_absolute():
        yield Path(pattern)
    elif any(mark in pattern for mark in "*?["):
        yield from sorted(folder.glob(pattern))
    else:
        yield folder / pattern
