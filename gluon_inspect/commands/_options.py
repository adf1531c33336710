"""Options that several commands share, and what their values become."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from typing import TYPE_CHECKING

from gluon_inspect.commands._parser import completed
from gluon_inspect.errors import UsageError
from gluon_inspect.model.artifact import MOST_PROGRAMS
from gluon_inspect.model.request import ANALYSIS_SECONDS
from gluon_inspect.targets import ALL, USUAL

if TYPE_CHECKING:
    from argparse import _ArgumentGroup as Group  # pyright: ignore[reportPrivateUsage]: argparse names it nowhere else

    from gluon_inspect.model.request import Request

DEFAULT_TARGET = USUAL
Value = int | float | bool
_AXES = 3
_DIGITS = 10
_MOST_PROGRAMS = (2**31 - 1, 65535, 65535)
"""What a launch takes along each axis (CUDA C++ programming guide, specifications per compute capability)."""
_CI_SECONDS = 1800.0
"""Of a script, where nobody watches: the slowest known records for a quarter of it."""
_SWITCHES = {"true": True, "false": False}


def add_input_arguments(parser: ArgumentParser) -> None:
    """Where kernels come from and how they are looked at."""
    _add_inputs(parser)
    _add_values(parser.add_argument_group("values that the input does not hold"))
    _add_limits(parser.add_argument_group("how much is recorded and evaluated"))


def _add_inputs(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a Python script, IR, MLIR dump log, PTX, cubin, SASS, AMDGCN, hsaco, capture or Triton cache folder",
    )
    which = parser.add_argument_group("which kernels")
    targets = which.add_argument(
        "--target",
        action="append",
        metavar="TARGET",
        help=f"cuda:80, cuda:90, hip:gfx942 …; repeatable (default for scripts: {DEFAULT_TARGET})",
    )
    completed(targets, [target.name for target in ALL])
    which.add_argument(
        "--kernel",
        action="append",
        default=[],
        metavar="NAME",
        help="only kernels of this name; * and ? match; repeatable",
    )
    which.add_argument("-m", "--module", action="store_true", help="PATH is a module to run, as with python -m")


def _add_values(group: Group) -> None:
    group.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of a kernel's parameter (for a pointer: its base address); repeatable",
    )
    group.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="try a value for a parameter, or FILE:LINE=VALUE for what a script reads there; repeatable",
    )
    group.add_argument("--arg-file", metavar="FILE", help="values of parameters as JSON or TOML: name to value")
    group.add_argument("--grid", metavar="X[,Y[,Z]]", help="programs launched along each axis")
    group.add_argument("--asm", metavar="FILE", help="the assembly that belongs to the IR")


def _add_limits(group: Group) -> None:
    group.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help=f"end a script that runs longer than this (default: no limit; {_CI_SECONDS:g} where CI is set in the "
        "environment)",
    )
    group.add_argument(
        "--analysis-timeout",
        type=float,
        default=ANALYSIS_SECONDS,
        metavar="SECONDS",
        help="give up an input or a launch whose analysis takes longer, and say so; 0: as long as it takes, so "
        f"that the report depends on the input alone (default {ANALYSIS_SECONDS:g})",
    )
    group.add_argument("--only-launches", type=int, metavar="N", help="end a script after N launches")
    group.add_argument("--all-configs", action="store_true", help="every configuration of autotuned kernels")
    group.add_argument(
        "--all-launches", action="store_true", help="every launch of a kernel that is launched in many ways"
    )
    group.add_argument("--programs", metavar="all|N", help="how many programs to evaluate (default: as is cheap)")


def add_measure_arguments(parser: ArgumentParser) -> None:
    """What a GPU or a profiler says of the same launches."""
    group = parser.add_argument_group("with a GPU or a profiler's file")
    group.add_argument("--measure", action="store_true", help="make the launches on this machine's GPU as well")
    group.add_argument("--counters", metavar="FILE", help="counters from a .ncu-rep, or ncu's or rocprofv3's CSV")


def request(arguments: Namespace) -> Request:
    """The options as a request; UsageError names the option that is wrong."""
    from gluon_inspect.model.request import Request
    from gluon_inspect.workflow.argument_values import merged_values

    given = dict(_binding("--arg", text) for text in arguments.arg)
    reads = [text for text in arguments.assume if ":" in text.partition("=")[0]]
    assumed = dict(_binding("--assume", text) for text in arguments.assume if text not in reads)
    if arguments.only_launches is not None and arguments.only_launches < 1:
        raise UsageError("--only-launches is not a positive number", hint="for example --only-launches 100")
    timeout = _script_seconds(arguments.timeout)
    if not arguments.analysis_timeout >= 0:
        raise UsageError(
            f"--analysis-timeout {arguments.analysis_timeout:g} is no time to wait", hint="seconds, or 0"
        )
    return Request(
        paths=tuple(arguments.paths),
        targets=tuple(dict.fromkeys(arguments.target or ())),
        kernels=tuple(arguments.kernel),
        arguments=merged_values(arguments.arg_file, given, assumed),
        assumed=tuple(assumed),
        grid=_grid(arguments.grid),
        asm=arguments.asm,
        programs=_programs(arguments.programs),
        script_arguments=arguments.script_arguments,
        module=arguments.module,
        timeout_seconds=timeout,
        analysis_seconds=arguments.analysis_timeout,
        only_launches=arguments.only_launches,
        assumed_reads=dict(map(_read, reads)),
        all_configs=arguments.all_configs,
        all_launches=arguments.all_launches,
        measure=getattr(arguments, "measure", False),
        counters=getattr(arguments, "counters", None),
    )


def _binding(option: str, text: str) -> tuple[str, Value]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"{option} {text!r} is not NAME=VALUE", hint=f"for example {option} n=4096")
    return name, _number(option, name, value)


def _read(text: str) -> tuple[str, Value]:
    """FILE:LINE=VALUE: what a script reads there."""
    place, equals, value = text.partition("=")
    if not equals or not place.rpartition(":")[2].isdigit():
        raise UsageError(f"--assume {text!r} is not FILE:LINE=VALUE", hint="for example --assume moe.py:12=512")
    return place, _number("--assume", place, value)


def _number(option: str, name: str, value: str) -> Value:
    if value.lower() in _SWITCHES:
        return _SWITCHES[value.lower()]
    with suppress(ValueError):
        return int(value, 0)
    with suppress(ValueError):
        return float(value)
    raise UsageError(
        f"{option} {name}: {value!r} is no number", hint="an integer (0x… too), a float, true or false"
    )


def _grid(text: str | None) -> tuple[int, int, int] | None:
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) > _AXES or not all(_is_axis(part.strip()) for part in parts):
        raise UsageError(f"--grid {text!r} is not X[,Y[,Z]]", hint="positive integers, for example --grid 128,4")
    x, y, z = (*(int(part) for part in parts), 1, 1)[:_AXES]
    if any(size > most for size, most in zip((x, y, z), _MOST_PROGRAMS, strict=True)):
        most = ",".join(map(str, _MOST_PROGRAMS))
        raise UsageError(f"--grid {text!r} is more than can be launched", hint=f"at most {most}")
    return x, y, z


def _script_seconds(given: float | None) -> float | None:
    """What bounds a script: `--timeout`, else nothing, except in CI: one that hangs would block the others."""
    if given is None:
        return _CI_SECONDS if os.environ.get("CI", "").lower() in ("true", "1") else None
    if not given > 0:
        raise UsageError(f"--timeout {given:g} is no time to wait", hint="seconds, for example --timeout 60")
    return given


def _is_axis(text: str) -> bool:
    return text.isdecimal() and len(text) <= _DIGITS and 0 < int(text) <= MOST_PROGRAMS


def _programs(text: str | None) -> int | None:
    """None: as many as is cheap; 0: all."""
    if text is None:
        return None
    if text == "all":
        return 0
    if not text.isdecimal() or not int(text):
        raise UsageError(f"--programs {text!r} is neither all nor a positive number")
    return int(text)
