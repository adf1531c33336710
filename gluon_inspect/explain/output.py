"""Writing explanations: Markdown as it is, set for a terminal, or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from typing import Any

from gluon_inspect.explain.text import as_markdown
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.report import KernelReport

_WIDTH = 80
_WIDEST = 100


def write(
    explanations: Sequence[KernelExplanation], sources: Mapping[str, str], form: str, output: str | None
) -> None:
    """Write explanations to a file or to standard output; a terminal gets colours unless NO_COLOR is set."""
    if form == "json":
        text = json.dumps([_data(each) for each in explanations], indent=2) + "\n"
    else:
        text = "\n".join(as_markdown(each, sources) for each in explanations)
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    elif form == "text":
        _print(text)
    else:
        sys.stdout.write(text)


def _print(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    page = Markdown(text, code_theme="ansi_light", hyperlinks=False)
    if sys.stdout.isatty():
        console = Console(highlight=False)
        console.print(page, width=min(console.width, _WIDEST))
        return
    console = Console(width=_WIDTH, highlight=False, file=StringIO())
    with console.capture() as captured:
        console.print(page)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _data(explanation: KernelExplanation) -> dict[str, Any]:
    report = explanation.report
    return {
        "kernel": report.name,
        "target": report.kernel.target,
        "grid": report.launch.grid,
        "verdict": explanation.verdict,
        "measurement": _measurement(report),
        "items": [asdict(item) for item in explanation.items],
        "proposals": [_proposal(proposal) for proposal in explanation.proposals],
        "limits": list(explanation.limits),
    }


def _proposal(proposal: Proposal) -> dict[str, Any]:
    data = asdict(replace(proposal, after=None))
    del data["after"]
    measurement = None if proposal.after is None else _measurement(proposal.after)
    speedup = proposal.effect.speedup if proposal.effect else None
    return {**data, "speedup": speedup, "measurement": measurement}


def _measurement(kernel: KernelReport) -> dict[str, Any] | None:
    return None if kernel.measurement is None else asdict(kernel.measurement)
