"""Where reports go: stdout carries the report only, everything else is on stderr."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

from gluon_inspect.bulkheads import Fault, FaultError, contained
from gluon_inspect.errors import InspectError, UsageError
from gluon_inspect.model.artifact import ScriptError
from gluon_inspect.model.report import Report
from gluon_inspect.report import PLAIN, Style, load_format
from gluon_inspect.wording.characters import visible

Writer = Callable[[Report], Fault | None]
"""Writes a report; a fault of its format leaves the others as they are."""
Tell = Callable[[str], None]
_PIPE_COLUMNS = 100
_MOST_CHARACTERS = 2000
"""Of one line on stderr: what is cut is counted."""
_SECONDS_BETWEEN_LINES = 30


def writers(formats: Sequence[str], output: str | None, asked: Style = PLAIN) -> tuple[Writer, ...]:
    """A writer for each `NAME[=FILE]`, as much as `asked` says; UsageError if two want the same place."""
    places = [_split(text, output) for text in formats]
    files = [file for _, file in places]
    if len(set(files)) != len(files):
        raise UsageError("two formats go to the same place", hint="give each its file: --format json=out.json")
    return tuple(_writer(name, file, asked) for name, file in places)


def _split(text: str, output: str | None) -> tuple[str, str | None]:
    name, equals, file = text.partition("=")
    return name, file if equals else output


def _writer(name: str, file: str | None, asked: Style) -> Writer:
    renderer = load_format(name)

    def write(report: Report) -> Fault | None:
        place = terminal_style() if file is None else PLAIN
        style = replace(asked, width=place.width, colour=place.colour)
        text = contained(f"--format {name}", lambda: renderer.render(report, style))
        if isinstance(text, Fault):
            return text
        write_text(text, file)
        if file is not None:
            say(f"wrote {name} to {file}")
        return None

    return write


def write_text(text: str, file: str | None) -> None:
    """Text to standard output, or to a file; UsageError if that cannot be written."""
    try:
        if file is not None:
            Path(file).write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {file or 'to standard output'}: {error.strerror}") from error


def terminal_style() -> Style:
    """Width and colour of stdout: colour only on a terminal and without NO_COLOR, or with FORCE_COLOR."""
    is_terminal = sys.stdout.isatty()
    forced = bool(os.environ.get("FORCE_COLOR"))
    colour = (is_terminal or forced) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(shutil.get_terminal_size((_PIPE_COLUMNS, 24)).columns, colour)


def show_problems(report: Report, failures: Sequence[InspectError] = ()) -> None:
    """What went wrong with the input, on stderr, in one line each; the report itself is intact."""
    for failure in failures:
        if not isinstance(failure, FaultError):
            say_error(failure)
    if report.comparison is not None and (gone := report.comparison.vanished):
        say(f"note: {len(gone)} of the baseline's kernels are not in this report: {', '.join(gone)}")
    if report.error is not None:
        say_script_error(report.error)
    for kernel in report.kernels:
        if kernel.kernel.error:
            # Triton's message has the place first, the source in between, and what is wrong with it last.
            first, *between = kernel.kernel.error.strip().splitlines()
            last = f" {between[-1].strip()}" if between else ""
            say(f"error: {kernel.name} for {kernel.kernel.target} could not be compiled: {first}{last}")
        elif kernel.unread and not kernel.faults:
            first, *excerpt = kernel.unread.split("\n")
            say(f"error: {first}", *excerpt)


def say_script_error(error: ScriptError) -> None:
    """One line on a script that raised."""
    where = f"{error.file}:{error.line}: " if error.file else ""
    say(f"error: {where}{error.told}")


def say_error(error: InspectError) -> None:
    """A user's error: one line, and the excerpt below it."""
    message, *excerpt = str(error).split(f"\n{error.excerpt}") if error.excerpt else (str(error),)
    say(f"error: {message}", *(error.excerpt.split("\n") if excerpt else ()))


def faults_of(report: Report, failures: Sequence[InspectError]) -> tuple[Fault, ...]:
    """Every fault of the tool in a report and among the inputs that gave none, each once."""
    lost = [failure.fault for failure in failures if isinstance(failure, FaultError)]
    return tuple(dict.fromkeys([*lost, *(fault for kernel in report.kernels for fault in kernel.faults)]))


def say(message: str, *excerpt: str) -> None:
    """A line on stderr, an excerpt below it; where that is full or has no reader, the exit code alone tells."""
    lines = (f"gluon-inspect: {message}", *excerpt)
    with suppress(OSError):
        print(*map(_cut, lines), sep="\n", file=sys.stderr, flush=True)  # noqa: T201


def _cut(line: str) -> str:
    shown = visible(line)
    more = len(shown) - _MOST_CHARACTERS
    return shown if more <= 0 else f"{shown[:_MOST_CHARACTERS]}… ({more:,} more characters)"


@contextmanager
def progress() -> Generator[Tell]:
    """What is being done and for how long, on stderr: redrawn on a terminal, elsewhere a line now and then."""
    if not sys.stderr.isatty():
        yield _now_and_then()
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("starting", total=None)
        yield lambda doing: shown.update(task, description=visible(doing))


def _now_and_then() -> Tell:
    """Logs of long runs show that they go on; short ones stay as they are."""
    start = last = monotonic()

    def tell(doing: str) -> None:
        nonlocal last
        if (now := monotonic()) - last >= _SECONDS_BETWEEN_LINES:
            last = now
            say(f"{now - start:.0f} s: {doing}")

    return tell
