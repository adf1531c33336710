"""`gluon-inspect fix`: proposals that apply themselves, compiled and inspected before they are shown."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from gluon_inspect.commands._options import add_input_arguments, request
from gluon_inspect.commands._passing_over import add_passing_over, with_kernels
from gluon_inspect.errors import InspectError, NothingLaunched, UsageError

if TYPE_CHECKING:
    from gluon_inspect.commands._output import Tell
    from gluon_inspect.explaining.fixes import Fixed
    from gluon_inspect.fixing.patch import Sources
    from gluon_inspect.model.request import Request

NAME = "fix"
HELP = "make what is proposed in the source: as a diff, or written to the files"
EXAMPLES = """
gluon-inspect fix kernels.py                            what would change, as a diff; nothing is written
gluon-inspect fix kernels.py | git apply                the same, applied
gluon-inspect fix kernels.py --write                    write it, and say what it buys
gluon-inspect fix kernels.py --rule GI201 --kernel 'copy_*'
"""
_CLEAN, _DIFFERS, _FAILED = 0, 1, 2


def add_arguments(parser: ArgumentParser) -> None:
    """Input options, then which proposals and what becomes of them."""
    add_input_arguments(parser)
    what = parser.add_argument_group("what is changed")
    chosen = what.add_mutually_exclusive_group()
    chosen.add_argument("--finding", metavar="ID", help="only for this finding")
    chosen.add_argument("--rule", metavar="RULE", help="only for findings of this rule, by code or name")
    what.add_argument("--line", type=int, metavar="N", help="only for findings at this line")
    how = parser.add_argument_group("what becomes of it")
    either = how.add_mutually_exclusive_group()
    either.add_argument(
        "--diff", action="store_true", help="print a unified diff (the default); exit code 1 if any"
    )
    either.add_argument(
        "--write", action="store_true", help="write the files, and print launches before and after"
    )
    add_passing_over(how)
    how.add_argument("--allow-dirty", action="store_true", help="write files that git has uncommitted changes of")


def run(arguments: Namespace) -> int:
    """Every input on its own: inspect, explain, change, inspect again."""
    from contextlib import nullcontext

    from gluon_inspect.commands._output import progress, say, say_error
    from gluon_inspect.recording.prepared import prepared
    from gluon_inspect.workflow.steps import is_script

    asked = replace(request(arguments), measure=False)
    asked = with_kernels(asked) if arguments.skip_without_kernels else asked
    if len(asked.targets) > 1:
        raise UsageError("fix takes one target", hint="what is better for one may be worse for another")
    status = _CLEAN
    with prepared() if any(is_script(path, asked) for path in asked.paths) else nullcontext():
        for path in asked.paths:
            try:
                with progress() as tell:
                    fixed, sources, errors = _fixed(arguments, replace(asked, paths=(path,)), tell)
                status = max(status, _told(fixed, sources, arguments), _FAILED if errors else _CLEAN)
            except InspectError as error:
                if arguments.skip_without_kernels and isinstance(error, NothingLaunched):
                    say(f"note: {error.message}: passed over")
                    continue
                say_error(error)
                status = _FAILED
    return status


def _fixed(arguments: Namespace, asked: Request, tell: Tell) -> tuple[Fixed, Sources, bool]:
    """The fixes of one input, checked where it is a script, and whether something of it could not be read."""
    from gluon_inspect.commands._output import show_problems
    from gluon_inspect.explaining.asked import chosen
    from gluon_inspect.explaining.explanation import explain
    from gluon_inspect.explaining.fixes import checked, unchecked
    from gluon_inspect.fixing.files import current
    from gluon_inspect.fixing.patch import Sources
    from gluon_inspect.project.suppressions import suppressed
    from gluon_inspect.workflow.executors import default_jobs
    from gluon_inspect.workflow.inspection import inspect_all
    from gluon_inspect.workflow.steps import is_script

    outcome = inspect_all(asked, tell, default_jobs())
    report = suppressed(outcome.report())
    show_problems(report, outcome.failures)
    wanted = arguments.finding or arguments.rule
    tell("looking for what is better")
    kernels = chosen(report.kernels, wanted, arguments.line)
    explained = [explain(kernel, finding=wanted, line=arguments.line) for kernel in kernels]
    sources = Sources(*current(report.sources))
    errors = bool(outcome.failures) or report.error is not None
    if not is_script(asked.paths[0], asked):
        if arguments.write:
            raise UsageError(
                f"{asked.paths[0]} is compiled: only a script's files are written, since it can be run again"
            )
        return unchecked(explained, sources), sources, errors
    return checked(report, explained, sources, asked, tell), sources, errors


def _told(fixed: Fixed, sources: Sources, arguments: Namespace) -> int:
    from gluon_inspect.commands._output import PLAIN, say, terminal_style, write_text
    from gluon_inspect.explaining.fixes_told import headline, page
    from gluon_inspect.fixing.edits import diff
    from gluon_inspect.report.text.page import page_as_text
    from gluon_inspect.wording.places import short_path

    files = sorted(short_path(file) for file in fixed.texts)
    parts = tuple(page(fixed))
    if arguments.write:
        _write(fixed, sources, allow_dirty=arguments.allow_dirty)
        write_text(page_as_text(parts, terminal_style()) if parts else "", None)
        say(f"{headline(fixed, files)}{': written' if files else ''}")
        return _CLEAN
    lines = diff(sources.texts, fixed.texts)
    # a patch is the source's own bytes; a terminal takes some of them for commands
    write_text("".join(map(_shown, lines) if sys.stdout.isatty() else lines), None)
    if parts:
        print(page_as_text(parts, PLAIN), file=sys.stderr)  # noqa: T201
    say(headline(fixed, files))
    return _DIFFERS if files else _CLEAN


def _shown(line: str) -> str:
    """A line of a diff that a terminal shows as it is."""
    from gluon_inspect.wording.characters import visible

    return "\t".join(visible(part) for part in line.rstrip("\r\n").split("\t")) + "\n"


def _write(fixed: Fixed, sources: Sources, *, allow_dirty: bool) -> None:
    from gluon_inspect.fixing.files import dirty, write
    from gluon_inspect.wording.places import short_path

    if not allow_dirty and (found := [short_path(file) for file in dirty(fixed.texts)]):
        raise UsageError(
            f"{', '.join(found)}: not committed, so nothing was written",
            hint="commit or stash it, or --allow-dirty",
        )
    write({file: sources.texts[file] for file in fixed.texts}, fixed.texts)
