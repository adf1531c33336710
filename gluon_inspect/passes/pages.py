"""Answers as pages: what a person reads of them."""

from collections.abc import Iterator, Mapping

from gluon_inspect.model.finding import Column, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.page import Code, Heading, Part, Prose
from gluon_inspect.passes.answer import Answer, Asked, KernelAnswer
from gluon_inspect.passes.blame import Blame, Step
from gluon_inspect.passes.compared import Compared
from gluon_inspect.passes.comparison import Parting
from gluon_inspect.passes.diff import diff_of
from gluon_inspect.passes.excerpts import described
from gluon_inspect.passes.failure import Failure, failure_before_passes
from gluon_inspect.passes.inferred import Inferred
from gluon_inspect.passes.phrases import lines, summary
from gluon_inspect.passes.purposes import purpose
from gluon_inspect.passes.states import PassRun
from gluon_inspect.passes.table import options_table, table
from gluon_inspect.passes.timeline import Timeline
from gluon_inspect.wording.places import place, short_path, source_line

_DIFF_LINES = 400
_DIFFERENCES = 12


def pages(answer: Answer, asked: Asked) -> Iterator[Part]:
    """The parts of the answer, kernel by kernel."""
    for kernel in answer.kernels:
        if _has_something(kernel, asked):
            yield from _kernel(kernel, asked)
    for compared in answer.compared:
        yield from _compared(compared)
    if answer.alone:
        yield Prose(f"Only one side has: {', '.join(answer.alone)}.")


def _has_something(answer: KernelAnswer, asked: Asked) -> bool:
    """Of many kernels only those that have what is to be followed are shown, and those that failed."""
    follows = asked.line is not None or asked.finding is not None or asked.operation
    if not follows or answer.subject.failed:
        return True
    return answer.followed is not None and bool(answer.followed.origin or answer.followed.steps)


def _kernel(answer: KernelAnswer, asked: Asked) -> Iterator[Part]:
    kernel, timeline = answer.subject.kernel, answer.subject.timeline
    version = f", Triton {kernel.triton_version}" if kernel.triton_version else ""
    yield Heading(f"{kernel.name} for {kernel.target or 'an unknown target'}{version}")
    failure = _failure(answer)
    if failure is not None:
        yield from _failed(failure, answer.subject.sources)
    if timeline is None:
        yield Prose(_no_passes(answer))
        return
    if asked.diff is not None:
        yield from _diff(timeline, asked.diff)
    elif answer.followed is not None:
        yield from _followed(answer.followed, answer.subject.sources)
        yield from _inferred([one for one in answer.inferred if _is_at(one, answer.followed)])
    else:
        yield table(timeline, everything=asked.everything)
        options = options_table(timeline) if asked.everything else None
        if options is not None:
            yield options
        yield from _inferred(answer.inferred)


def _no_passes(answer: KernelAnswer) -> str:
    if answer.subject.kernel.error:
        return "The compiler failed before its first pass."
    return (
        "There are no passes to show: the IR after each pass was not kept (record the script, or give a dump log)."
    )


def _failure(answer: KernelAnswer) -> Failure | None:
    if answer.subject.timeline is not None:
        return answer.subject.timeline.compilation.failure
    error = answer.subject.kernel.error
    return failure_before_passes(error) if error else None


def _failed(failure: Failure, sources: Mapping[str, str]) -> Iterator[Part]:
    where = f" in pass {failure.pass_name}" if failure.pass_name else " outside the passes"
    at = f" at {place(failure.location)}" if failure.location is not None else ""
    yield Prose(f"The compilation failed{where}{at}: {failure.message}")
    yield from _source(failure.location, sources)


def _source(location: Location | None, sources: Mapping[str, str]) -> Iterator[Part]:
    line = source_line(sources, location)
    if line is not None:
        caret = (" " * (line.column - 1) + "^",) if line.column else ()
        yield Code((line.text, *caret))


def _diff(timeline: Timeline, index: int) -> Iterator[Part]:
    runs = timeline.compilation.runs
    if not 0 <= index < len(runs):
        yield Prose(f"This compilation has no pass {index}.")
        return
    run = runs[index]
    yield Heading(_titled(run), 2)
    found = diff_of(run)
    if not found:
        yield Prose("The state after it was not printed." if run.after is None else "It changed nothing.")
        return
    shown = [f"{line.sign} {line.text}" for line in found[:_DIFF_LINES]]
    more = len(found) - len(shown)
    yield Code((*shown, *([f"  … {more:,} more lines"] if more else [])), is_diff=True)


def _titled(run: PassRun) -> str:
    what = purpose(run)
    return f"#{run.index} {run.name}" + (f": {what}" if what else "")


def _followed(blame: Blame, sources: Mapping[str, str]) -> Iterator[Part]:
    yield Heading(_subject(blame), 2)
    yield from _source(_place(blame, sources), sources)
    if blame.origin:
        yield Prose("Before the first pass:")
        yield Code(tuple(text for _, text in blame.origin))
    elif blame.steps:
        yield Prose(f"Not there before pass #{blame.steps[0].run.index} {blame.steps[0].run.name}.")
    for step in blame.steps:
        yield from _step(step)
    if not blame.steps:
        yield Prose("No pass changed it." if blame.origin else "No pass has it.")
    elif blame.final:
        yield Prose("In the last IR with layouts:")
        yield Code(tuple(dict.fromkeys(described(one) for one in blame.final)))


def _subject(blame: Blame) -> str:
    wanted = blame.wanted
    where = (
        f"line {wanted.line}" + (f" of {short_path(wanted.file)}" if wanted.file else "") if wanted.line else ""
    )
    return " at ".join(filter(None, (wanted.operation, where))) or "everything"


def _place(blame: Blame, sources: Mapping[str, str]) -> Location | None:
    """The line followed, in a file whose text is at hand."""
    seen = [one.location for one, _ in blame.origin] + [one.location for one in blame.final]
    chain = (at for location in seen if location is not None for at in location.chain)
    found = next((at for at in chain if at.line == blame.wanted.line and at.file in sources), None)
    return None if found is None else Location(found.file, found.line)


def _step(step: Step) -> Iterator[Part]:
    yield Heading(_titled(step.run), 3)
    if step.unread:
        names = ", ".join(f"#{run.index} {run.name}" for run in step.unread)
        yield Prose(f"Or one before it whose result could not be read: {names}.")
    yield Code(tuple(line for change in step.changes for line in (f"  {summary(change)}", *lines(change))), True)


def _is_at(one: Inferred, blame: Blame) -> bool:
    return one.location is not None and any(at.line == blame.wanted.line for at in one.location.chain)


def _inferred(found: tuple[Inferred, ...] | list[Inferred]) -> Iterator[Part]:
    if not found:
        return
    columns = (Column("line", "right"), Column("pass"), Column("asked"), Column("chosen"), Column("why"))
    rows = tuple(
        (
            str(one.location.author.line) if one.location else "unknown",
            one.run.name.removesuffix("Pass"),
            one.asked.removesuffix("()"),
            one.layout,
            one.reason or "unknown",
        )
        for one in found
    )
    yield Table("inferred", "Layouts that the compiler chose", columns, rows)


def _compared(compared: Compared) -> Iterator[Part]:
    left, right = compared.left, compared.right
    yield Heading(f"{left.kernel.name}: {_side(compared, 0)} (A) against {_side(compared, 1)} (B)")
    yield Prose(compared.verdict[:1].upper() + compared.verdict[1:] + ".")
    for subject, side in ((left, "A"), (right, "B")):
        failure = None if subject.timeline is None else subject.timeline.compilation.failure
        if failure is not None:
            yield Prose(f"{side}:")
            yield from _failed(failure, subject.sources)
        elif subject.timeline is None:
            yield Prose(f"{side} has no dump: its passes are unknown.")
    for parting in compared.partings:
        yield from _parting(parting)
    if left.timeline is not None and right.timeline is not None and not compared.partings:
        yield Prose("All passes left the same operations, layouts, conversions and access widths.")
    yield _machines(compared)


def _side(compared: Compared, at: int) -> str:
    """What tells the sides apart: origin, target, version; whatever is the same in both is left out."""
    sides = [
        (short_path(one.capture.origin), one.kernel.target, one.kernel.triton_version)
        for one in (compared.left, compared.right)
    ]
    parts = [own for own, other in zip(sides[at], sides[1 - at], strict=True) if own != other and own]
    return ", ".join(parts) or sides[at][0]


def _parting(parting: Parting) -> Iterator[Part]:
    until = "" if parting.for_good else ", and agree again later"
    yield Prose(f"{parting.what[:1].upper() + parting.what[1:]} part {_where(parting)}{until}:")
    more = len(parting.difference) - _DIFFERENCES
    shown = parting.difference[:_DIFFERENCES]
    yield Code((*shown, *([f"… {more} more"] if more > 0 else [])))


def _where(parting: Parting) -> str:
    left, right = parting.left, parting.right
    if left is None and right is None:
        return "before the first pass"
    if left is not None and right is not None:
        numbers = f"#{left.index}" if left.index == right.index else f"#{left.index} in A, #{right.index} in B"
        return f"in pass {left.name} ({numbers})"
    run, side = (left, "A") if left is not None else (right, "B")
    return f"in pass {run.name} (#{run.index}), which only {side} runs" if run is not None else ""


def _machines(compared: Compared) -> Table:
    columns = (
        Column(""),
        Column("registers a thread", "right"),
        Column("spilled", "right", "B a thread"),
        Column("shared", "right", "B"),
    )
    rows = tuple(
        (side, *("unknown" if value is None else value for value in values))
        for side, values in zip(
            ("A", "B"), ((m.registers, m.spill_bytes, m.shared_bytes) for m in compared.machines), strict=True
        )
    )
    return Table("machine", "Machine code", columns, rows)
