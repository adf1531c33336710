"""`gluon-inspect report`: what each access costs, as text or in any other format."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gluon_inspect.commands._options import add_input_arguments, add_measure_arguments, request
from gluon_inspect.commands._passing_over import add_passing_over, with_kernels, with_launches
from gluon_inspect.errors import UsageError

if TYPE_CHECKING:
    from gluon_inspect.model.report import Report
    from gluon_inspect.report import Style

NAME = "report"
HELP = "say what each kernel's layouts and accesses cost"
EXAMPLES = """
gluon-inspect report kernels.py                              every launch of a script
gluon-inspect report kernels.py --target cuda:100 --target hip:gfx950
gluon-inspect report kernel.ttgir --asm kernel.sass --arg n=4096 --grid 128
gluon-inspect report kernels.py --format html=report.html --format sarif=report.sarif
gluon-inspect report tests/test_k.py::test_copy --kernel 'copy_*' -- --option-of-the-script
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Input options, then where and how the report goes, then the gate."""
    add_input_arguments(parser)
    shown = parser.add_argument_group("what is written, and where")
    shown.add_argument(
        "--format",
        action="append",
        metavar="NAME[=FILE]",
        help="text (default), concise, json, markdown, html, sarif, junit, github, "
        "roofline, roofchart; repeatable",
    )
    shown.add_argument("-o", "--output", metavar="FILE", help="where the format without a file of its own goes")
    shown.add_argument("--brief", action="store_true", help="text: the answer and a line per kernel")
    shown.add_argument("--details", action="store_true", help="text: every kernel's tables as well")
    shown.add_argument("--all", action="store_true", help="findings that lose under 1 %% of a kernel's time too")
    shown.add_argument("--statistics", action="store_true", help="text: findings counted by rule")
    add_measure_arguments(parser)
    gate = parser.add_argument_group("what fails")
    gate.add_argument(
        "--fail-on",
        metavar="LEVEL|RULE,…",
        help="error (default), warning, note, never, rules, or several with commas",
    )
    gate.add_argument("--baseline", metavar="FILE", help="a JSON report; only what got worse fails")
    gate.add_argument("--update-baseline", action="store_true", help="write this report to the baseline's file")
    work = parser.add_argument_group("how it is worked out")
    work.add_argument(
        "--jobs", type=int, metavar="N", help="processes to work in (default: one per core, up to 8)"
    )
    work.add_argument("--scheduler", metavar="ADDRESS", help="a Dask cluster's workers instead (tcp://host:8786)")
    work.add_argument("--shard", metavar="I/N", help="the I-th of N parts of the inputs, for as many CI jobs")
    add_passing_over(work)
    work.add_argument("--no-cache", action="store_true", help="run every script, whatever an earlier run left")


def run(arguments: Namespace) -> int:
    """Inspect, write every format, and answer the gate."""
    from dataclasses import replace
    from pathlib import Path

    from gluon_inspect.commands._faults import tell_faults
    from gluon_inspect.commands._output import faults_of, progress, show_problems, writers
    from gluon_inspect.project.configuration import load_configuration
    from gluon_inspect.project.gate import BROKEN, CLEAN, FAULT, parse_gate
    from gluon_inspect.project.judgement import judged, save_baseline
    from gluon_inspect.workflow.executors import default_jobs
    from gluon_inspect.workflow.inspection import inspect_all

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError(f"--jobs {arguments.jobs}: at least one process is needed")
    if arguments.shard is not None and arguments.update_baseline:
        raise UsageError("--update-baseline with --shard: the other parts' kernels would be lost from the file")
    configuration = load_configuration(Path.cwd())
    outputs = writers(tuple(arguments.format or ("text",)), arguments.output, _style(arguments))
    gate = parse_gate(arguments.fail_on or configuration.fail_on or "error")
    asked = request(arguments)
    targets = asked.targets or configuration.targets
    asked = replace(asked, targets=targets, cache=not arguments.no_cache, shard=_shard(arguments.shard))
    if arguments.skip_without_kernels and not (asked := with_kernels(asked)).paths:
        return CLEAN
    baseline = arguments.baseline or configuration.baseline
    with progress() as tell:
        outcome = inspect_all(asked, tell, arguments.jobs or default_jobs(), arguments.scheduler or "")
        if arguments.shard and not outcome.results:
            return CLEAN  # more jobs than inputs
        if arguments.skip_without_kernels and not (outcome := with_launches(outcome)).results:
            return CLEAN
        report = judged(outcome.report(), configuration, None if arguments.update_baseline else baseline)
        report = _with_replacements(report)
    unwritten = [fault for write in outputs if (fault := write(report)) is not None]
    show_problems(report, outcome.failures)
    faults = (*faults_of(report, outcome.failures), *unwritten)
    tell_faults(faults, debug=arguments.debug)
    if arguments.update_baseline and not faults:
        save_baseline(report, baseline)
        return BROKEN if outcome.failures else CLEAN
    if faults:
        return FAULT
    return BROKEN if outcome.failures else gate.exit_code(report)


def _shard(given: str | None) -> tuple[int, int]:
    """Numbers from "2/8"."""
    number, _, parts = ("1/1" if given is None else given).partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise UsageError(f"--shard {given}: a part and how many there are, from 1/8 to 8/8")
    return int(number), int(parts)


def _with_replacements(report: Report) -> Report:
    """Imports what searches layouts only where a finding may have one."""
    if not any(kernel.findings for kernel in report.kernels):
        return report
    from gluon_inspect.explaining.replacements import with_replacements

    return with_replacements(report)


def _style(arguments: Namespace) -> Style:
    from gluon_inspect.report import Style

    return Style(
        brief=arguments.brief,
        details=arguments.details,
        everything=arguments.all,
        statistics=arguments.statistics,
    )
