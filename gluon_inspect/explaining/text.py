"""An explanation as Markdown, which the terminal shows too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gluon_inspect.model.explanation import (
    Effect,
    Explanation,
    KernelExplanation,
    Proposal,
    ProposalStatus,
)
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.markdown import prose
from gluon_inspect.wording.numbers import duration, percent
from gluon_inspect.wording.places import place, source_line

_LINE = 76
_INDENT = 4
_PLAIN_FACTOR = 1.2
"""Speedup from which a factor tells more than a percentage."""
_MODEL_ERROR = 0.075
"""Median error of expected times over 954 timed copies (docs/measuring.md)."""


def as_markdown(explanation: KernelExplanation, sources: Mapping[str, str], launched: Sequence[str] = ()) -> str:
    """One kernel's explanation as Markdown; names and source lines are escaped or stand in code blocks.

    `launched`: what tells this launch from others of the kernel, or several launches of which it all holds.
    """
    return "\n".join(_lines(explanation, sources, launched)) + "\n"


def _lines(explanation: KernelExplanation, sources: Mapping[str, str], launched: Sequence[str]) -> Iterator[str]:
    report = explanation.report
    grid = "x".join(map(str, report.launch.grid)) if report.launch.grid else "unknown"
    yield f"# {_code(report.name)} on {_code(report.kernel.target)}, grid {grid}"
    yield ""
    if launched:
        yield "Launched with"
        yield ""
        yield from (f"- {_code(each)}" for each in launched)
        yield ""
    yield prose(explanation.verdict[:1].upper() + explanation.verdict[1:]) + "."
    if report.measurement is not None:
        yield ""
        yield f"Measured on {prose(report.measurement.device)}: {_time(report)}."
    for number, item in enumerate(explanation.items, 1):
        yield ""
        yield from _item(number, item, sources)
    tried = [each for each in explanation.proposals if each.status is ProposalStatus.REJECTED]
    kept = [each for each in explanation.proposals if each.status is not ProposalStatus.REJECTED]
    if kept:
        yield ""
        yield "## What to change"
    for proposal in kept:
        yield ""
        yield from _proposal(proposal, report)
    if tried:
        yield ""
        yield "## Tried and not better"
        yield ""
        yield from (_rejected(proposal) for proposal in tried)
    if explanation.limits:
        yield ""
        yield "## Where these numbers end"
        yield ""
        yield from (f"- {prose(limit)}" for limit in explanation.limits)


def _item(number: int, item: Explanation, sources: Mapping[str, str]) -> Iterator[str]:
    finding = item.finding
    names = ", ".join(f"{each.rule} {each.name}" for each in (finding, *item.also))
    yield f"## {number}. {names} ({finding.severity})"
    yield ""
    yield from _source(finding.location, sources)
    message = prose(finding.message)
    yield f"**{message[:1].upper()}{message[1:]}.**"
    yield ""
    cost = f"{prose(item.cost[:1].upper() + item.cost[1:])}. " if item.cost else ""
    yield f"{cost}Numbers: {finding.confidence}; model: {finding.model}; id {_code(finding.id)}."
    if item.layout:
        yield ""
        yield f"Layout: {_code(item.layout)}"
    if item.drawing:
        yield ""
        yield from _block(item.drawing)
    if item.drawn_in is not None:
        yield ""
        yield f"The first warp meets memory as drawn in {item.drawn_in}."
    for text in filter(None, (item.why, *item.advice)):
        yield ""
        yield prose(text)


def _source(location: Location | None, sources: Mapping[str, str]) -> Iterator[str]:
    """The author's line; for code inlined from a library, the line that called it."""
    if location is None:
        return
    shown = next((each for each in location.chain if source_line(sources, each) is not None), location)
    line = source_line(sources, shown)
    inner = location.library[:1] or ((location,) if shown != location else ())
    heads = [place(shown), *(f"inlined from {place(each)}" for each in inner)]
    yield from _block([*heads, *(() if line is None else _marked(line.text, line.column))])
    yield ""


def _marked(text: str, column: int) -> list[str]:
    """A source line, cut around its column where it is too long for a terminal, and a caret below."""
    indent = max(0, len(text) - len(text.lstrip()) - _INDENT)
    text, column = text[indent:], max(0, column - indent)
    start = max(0, min(column - _LINE // 2, len(text) - _LINE))
    shown = text[start : start + _LINE]
    shown = f"…{shown[1:]}" if start else shown
    shown = f"{shown[:-1]}…" if start + _LINE < len(text) else shown
    return [shown, *_caret(column - start)]


def _proposal(proposal: Proposal, before: KernelReport) -> Iterator[str]:
    yield f"### {prose(proposal.title[:1].upper() + proposal.title[1:])}"
    yield ""
    if proposal.source:
        yield from _block(proposal.source)
        yield ""
    if proposal.patch:
        yield from _block(proposal.patch)
        yield ""
    if proposal.replaces:
        yield f"- instead of {_code(proposal.replaces)}"
    if proposal.where:
        yield f"- {prose(proposal.where)}"
    if proposal.effect is not None:
        yield f"- {_effect(proposal.effect)} ({proposal.status})"
    if proposal.after is not None and proposal.after.measurement is not None:
        yield f"- measured {_time(proposal.after)}{_shorter(before, proposal.after)}"
    if proposal.note:
        yield f"- {prose(proposal.note)}"


def _rejected(proposal: Proposal) -> str:
    """Short: what does not help is not to be typed."""
    first = f": {_code(proposal.source[0])}" if proposal.source else ""
    effect = "" if proposal.effect is None else f"; {_effect(proposal.effect)}"
    note = f"; {prose(proposal.note)}" if proposal.note else ""
    return f"- {prose(proposal.title)}{first}{effect}{note}"


def _effect(effect: Effect) -> str:
    parts = [
        f"{name} {before:,} -> {after:,}"
        for name, before, after in (
            ("sectors", effect.sectors_before, effect.sectors_after),
            ("wavefronts of shared memory", effect.wavefronts_before, effect.wavefronts_after),
        )
        if before is not None and after is not None and before != after
    ]
    if effect.speedup is not None:
        parts.append(_faster(effect.speedup))
    return ", ".join(parts) or "effect unknown"


def _faster(speedup: float) -> str:
    """In percent where a factor would round to one."""
    if speedup >= _PLAIN_FACTOR:
        return f"expected time {speedup:.2g}x shorter"
    if speedup >= 1:
        gain = 1 - 1 / speedup
        doubt = ", less than the model may err: time both" if gain < _MODEL_ERROR else ""
        return f"expected time {percent(gain)} shorter{doubt}"
    return f"expected time {percent(1 / speedup - 1)} longer"


def _time(kernel: KernelReport) -> str:
    """A kernel's measured time beside the expected one, and what speaks against it."""
    measured = kernel.measurement
    if measured is None or measured.time_ms is None:
        return "no time"
    time, expected = measured.time_ms, duration(kernel.cost.seconds if kernel.cost else None)
    doubts = (visible(note) for note in measured.notes if note.startswith("inconclusive"))
    shown = f"{duration(time.median * 1e-3)} (20% {time.p20:.4g} ms, 80% {time.p80:.4g} ms; expected {expected})"
    return "; ".join((shown, *doubts))


def _shorter(before: KernelReport, after: KernelReport) -> str:
    one = before.measurement.time_ms if before.measurement else None
    two = after.measurement.time_ms if after.measurement else None
    return f", {one.median / two.median:.2f} times as fast as before" if one and two else ""


def _block(lines: list[str] | tuple[str, ...]) -> Iterator[str]:
    yield "```"
    yield from (visible(line).replace("```", "'''") for line in lines)
    yield "```"


def _caret(column: int) -> list[str]:
    return [" " * (column - 1) + "^"] if column > 0 else []


def _code(text: str) -> str:
    return f"`{visible(text).replace('`', chr(39))}`"
