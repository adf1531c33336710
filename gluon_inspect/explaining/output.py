"""Writing explanations: Markdown as it is, set for a terminal, or as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from gluon_inspect.codec import plain
from gluon_inspect.explaining.launches import differences, told_once
from gluon_inspect.explaining.text import as_markdown
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.report import KernelReport

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 80
_WIDEST = 100
_FENCE = re.compile(r"\n*^```\n(.*?)\n```$\n*", re.MULTILINE | re.DOTALL)


def write(
    explanations: Sequence[KernelExplanation], sources: Mapping[str, str], form: str, output: str | None
) -> None:
    """Write explanations to a file or to standard output; a terminal gets colours unless NO_COLOR is set."""
    if form == "json":
        apart = differences([each.report for each in explanations])
        data = [_data(each, name) for each, name in zip(explanations, apart, strict=True)]
        text = json.dumps(data, indent=2) + "\n"
    else:
        text = "\n".join(as_markdown(each.explanation, sources, each.launches) for each in told_once(explanations))
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    elif form == "text":
        _print(text)
    else:
        sys.stdout.write(text)


def _print(text: str) -> None:
    from rich.console import Console

    if sys.stdout.isatty():
        console = Console(highlight=False)
        _set(console, text, min(console.width, _WIDEST))
        return
    console = Console(width=_WIDTH, highlight=False, file=StringIO())
    with console.capture() as captured:
        _set(console, text, _WIDTH)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _set(console: Console, text: str, width: int) -> None:
    """Prose wrapped to a width; blocks of code as they are, so that a diff stays one that applies."""
    from rich.markdown import Markdown
    from rich.text import Text

    for at, part in enumerate(_FENCE.split(text)):
        if not part.strip():
            continue
        if at % 2:
            console.print(Text(indent(part.rstrip(), "    "), style="cyan"), soft_wrap=True)
        else:
            console.print(Markdown(part, hyperlinks=False), width=width)
        console.print()


def _data(explanation: KernelExplanation, launched_with: str) -> dict[str, Any]:
    report = explanation.report
    return {
        "kernel": report.name,
        "target": report.kernel.target,
        "grid": report.launch.grid,
        "launched_with": launched_with or None,
        "verdict": explanation.verdict,
        "measurement": _measurement(report),
        "items": [plain(item) for item in explanation.items],
        "proposals": [_proposal(proposal) for proposal in explanation.proposals],
        "limits": list(explanation.limits),
    }


def _proposal(proposal: Proposal) -> dict[str, Any]:
    data = plain(replace(proposal, after=None))
    del data["after"]
    measurement = None if proposal.after is None else _measurement(proposal.after)
    speedup = proposal.effect.speedup if proposal.effect else None
    return {**data, "speedup": speedup, "measurement": measurement}


def _measurement(kernel: KernelReport) -> dict[str, Any] | None:
    return None if kernel.measurement is None else plain(kernel.measurement)
