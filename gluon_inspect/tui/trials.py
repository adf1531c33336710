"""The words of "what if": proposals, predictions, and a kernel compiled again beside what it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from gluon_inspect.errors import InspectError
from gluon_inspect.model.access import Access
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.model.report import KernelReport
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.passages import Passage
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import count, percent, ratio, short_count, size
from gluon_inspect.wording.verdict import tally

if TYPE_CHECKING:
    from gluon_inspect.tui.insight import Trial


def proposal_entry(proposal: Proposal) -> Text:
    """A proposal in a list."""
    speedup = proposal.effect.speedup if proposal.effect is not None else None
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{speedup:.2f}× " if speedup is not None else "  ?  ", "bold")
    text.append(visible(proposal.title, 120))
    return text


def proposal_text(proposal: Proposal) -> Iterator[Passage]:
    """A proposal with its source and what it is predicted to do."""
    yield Passage(proposal.title, Token.HEADING)
    yield from (Passage(line, fixed=True) for line in proposal.source)
    yield from (Passage(text, Token.MUTED) for text in (proposal.where, proposal.note) if text)
    if proposal.effect is not None:
        before, after = proposal.effect.sectors_before, proposal.effect.sectors_after
        yield Passage(
            f"sectors {short_count(before)} → {short_count(after)}  ({proposal.status.value})", Token.ADDED
        )
    if proposal.substitutions and proposal.replaces:
        yield Passage("enter takes it into the expression", Token.MUTED)


def trial_text(trial: Trial) -> Iterator[Passage]:
    """What a layout would do to each access, before and after."""
    speedup = trial.speedup
    if speedup is not None and trial.old == trial.new:
        yield Passage("the layout as it is: change it and press enter", Token.MUTED)
    elif speedup is not None:
        word = "less" if speedup >= 1 else "more"
        token = Token.ADDED if speedup >= 1 else Token.REMOVED
        factor = ratio(speedup if speedup >= 1 else 1 / speedup)
        yield Passage(f"{factor}× {word} expected time, predicted from the same addresses; not compiled", token)
    else:
        yield Passage("the effect on the time is unknown: some addresses are", Token.WARNING)
    yield Passage("")
    yield from _accesses(trial.before, trial.after)


def _accesses(before: tuple[Access, ...], after: tuple[Access, ...]) -> Iterator[Passage]:
    """Access by access where they are the same ones; a conversion more or less makes them others."""
    yield Passage(f"{'line':>5}  {'access':<12}{'bits':>10}{'sectors':>20}{'used':>14}", Token.MUTED, fixed=True)
    rest = {(each.op, each.location, each.direction): each for each in after}
    for one in before:
        other = rest.get((one.op, one.location, one.direction))
        if other is not None:
            yield _difference(one, other)


def _difference(before: Access, after: Access) -> Passage:
    line = before.location.line if before.location is not None else 0
    bits = f"{before.vector_bits or '?'} → {after.vector_bits or '?'}"
    sectors = f"{short_count(before.sectors)} → {short_count(after.sectors)}"
    used = f"{percent(before.efficiency)} → {percent(after.efficiency)}"
    text = f"{line:>5}  {before.direction.value:<12}{bits:>10}{sectors:>20}{used:>14}"
    if before.sectors == after.sectors or before.sectors is None or after.sectors is None:
        return Passage(text, fixed=True)
    return Passage(text, Token.ADDED if after.sectors < before.sectors else Token.REMOVED, fixed=True)


def error_text(error: InspectError) -> Iterator[Passage]:
    """An error that a user can mend."""
    yield Passage(error.message, Token.ERROR)
    if error.excerpt:
        yield Passage(error.excerpt, Token.MUTED, fixed=True)
    if error.hint:
        yield Passage(error.hint)


def recompiled_text(before: KernelReport, after: KernelReport) -> Iterator[Passage]:
    """The report of a kernel before and after it was compiled with another layout."""
    if after.kernel.error:
        yield Passage("it does not compile", Token.ERROR)
        yield Passage(after.kernel.error, Token.MUTED, fixed=True)
        return
    yield Passage("compiled and inspected again", Token.HEADING)
    yield from _accesses(before.accesses, after.accesses)
    yield Passage("")
    for name, one, other in _numbers(before, after):
        token = None if one == other else Token.HEADING
        yield Passage(f"{name:<20} {one if one == other else f'{one} → {other}'}", token, fixed=True)


def _numbers(before: KernelReport, after: KernelReport) -> Iterator[tuple[str, str, str]]:
    yield "findings", tally(before.findings) or "none", tally(after.findings) or "none"
    yield "registers a thread", count(before.registers.per_thread), count(after.registers.per_thread)
    yield "spilled a thread", size(before.registers.spill_bytes), size(after.registers.spill_bytes)
    yield "shared memory a CTA", size(before.shared_bytes), size(after.shared_bytes)
    yield "occupancy", _occupancy(before), _occupancy(after)


def _occupancy(kernel: KernelReport) -> str:
    return percent(kernel.occupancy.fraction if kernel.occupancy is not None else None)
