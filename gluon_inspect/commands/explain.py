"""`gluon-inspect explain`: why a layout is slow, what to write instead, what that buys."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from gluon_inspect.commands._options import add_input_arguments, request

if TYPE_CHECKING:
    from gluon_inspect.bulkheads import Fault
    from gluon_inspect.commands._output import Tell
    from gluon_inspect.errors import InspectError
    from gluon_inspect.model.explanation import KernelExplanation
    from gluon_inspect.model.report import KernelReport
    from gluon_inspect.model.request import Request

NAME = "explain"
HELP = "why a kernel's layouts are slow and what to write instead"
EXAMPLES = """
gluon-inspect explain kernels.py                     every finding, the dearest first
gluon-inspect explain kernels.py --line 34           what stands at line 34
gluon-inspect explain kernels.py --no-try            without compiling what is proposed
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Input options, then what to explain and how."""
    add_input_arguments(parser)
    parser.add_argument("--finding", metavar="ID", help="only this finding, rule code or rule name")
    parser.add_argument("--line", type=int, metavar="N", help="only findings at this line")
    parser.add_argument(
        "--try",
        dest="trial",
        action=BooleanOptionalAction,
        default=None,
        help="run a script again with the best proposal of each kernel in place, and inspect what is compiled "
        "(default: up to two such runs, which kernels share)",
    )
    parser.add_argument(
        "--measure",
        action="store_true",
        help="time the kernel and its best proposal on this machine's GPU (tries the proposal as well)",
    )
    parser.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="how it is written (default text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: standard output)")


def run(arguments: Namespace) -> int:
    """Inspect, then explain every kernel asked for. Exit code 2 if some input could not be read."""
    from contextlib import nullcontext

    from gluon_inspect.recording.prepared import prepared
    from gluon_inspect.workflow.steps import is_script

    asked = request(arguments)
    # a script is run at once, and its best proposals are compiled in further runs
    with prepared() if any(is_script(path, asked) for path in asked.paths) else nullcontext():
        _warm_up()
        return _run(arguments, asked)


def _warm_up() -> None:
    """Imports what explaining and writing need while the other process imports torch."""
    for name in ("explaining.explanation", "explaining.trial", "explaining.output"):
        import_module(f"gluon_inspect.{name}")
    import_module("rich.markdown")


def _run(arguments: Namespace, whole_request: Request) -> int:
    from dataclasses import replace

    from gluon_inspect.commands._faults import EXIT_CODE, tell_faults
    from gluon_inspect.commands._output import faults_of, progress, show_problems
    from gluon_inspect.explaining.asked import chosen
    from gluon_inspect.explaining.output import write
    from gluon_inspect.workflow.executors import default_jobs
    from gluon_inspect.workflow.inspection import Outcome, inspect_all

    asked = replace(whole_request, measure=False)
    explained: list[KernelExplanation] = []
    faults: list[Fault] = []
    late: list[InspectError] = []
    with progress() as tell:
        parts = [replace(asked, paths=(path,)) for path in asked.paths]
        outcomes = [inspect_all(part, tell, default_jobs()) for part in parts]
        whole = Outcome([result for outcome in outcomes for result in outcome.results])
        report = whole.report()
        wanted = {id(kernel) for kernel in chosen(report.kernels, arguments.finding, arguments.line)}
        for part, outcome in zip(parts, outcomes, strict=True):
            kernels = [kernel for kernel in outcome.kernels if id(kernel) in wanted]
            explained += _explained(kernels, part, report.sources, arguments, tell, faults, late)
    write(explained, report.sources, arguments.format, arguments.output)
    show_problems(report, (*whole.failures, *late))
    faults += faults_of(report, whole.failures)
    tell_faults(faults, debug=arguments.debug)
    if faults:
        return EXIT_CODE
    return 2 if whole.failures or late or report.error is not None else 0


def _explained(
    kernels: Sequence[KernelReport],
    asked: Request,
    sources: Mapping[str, str],
    arguments: Namespace,
    tell: Tell,
    faults: list[Fault],
    late: list[InspectError],
) -> list[KernelExplanation]:
    """The explanations of one input's kernels, tried and measured as the options say.

    `faults` takes theirs, `late` the errors of those that were given up.
    """
    from gluon_inspect.bulkheads import Fault, contained
    from gluon_inspect.deadlines import OutOfTime, within
    from gluon_inspect.explaining.explanation import explain
    from gluon_inspect.explaining.patches import with_patches
    from gluon_inspect.explaining.trial import FEW, checked
    from gluon_inspect.workflow.steps import is_script

    def one(kernel: KernelReport) -> KernelExplanation:
        def work() -> KernelExplanation:
            return with_patches(explain(kernel, finding=arguments.finding, line=arguments.line), sources)

        return within(asked.analysis_seconds, f"{kernel.name}, {kernel.launch.id}: not explained", work)

    explained: list[KernelExplanation] = []
    for kernel in kernels:
        try:
            made = contained(f"{kernel.name}, {kernel.launch.id}: explain", partial(one, kernel))
        except OutOfTime as error:
            late.append(error)
        else:
            faults.append(made) if isinstance(made, Fault) else explained.append(made)
    trial: bool | None = True if arguments.measure else arguments.trial
    # what is compiled already cannot be compiled again: its proposals stay predictions
    if trial is not False and is_script(asked.paths[0], asked):
        explained = checked(explained, asked, sources, None if trial else FEW, tell)
    if not arguments.measure or not kernels:
        return explained
    # it imports torch
    from gluon_inspect.explaining.measured import with_measurements

    return with_measurements(explained, asked, tell)
