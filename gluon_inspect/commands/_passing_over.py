"""`--skip-without-kernels`: for hooks, which are given every Python file that changed."""

from __future__ import annotations

from argparse import _ArgumentGroup as Group  # pyright: ignore[reportPrivateUsage]: argparse names it nowhere else
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gluon_inspect.model.request import Request
    from gluon_inspect.workflow.inspection import Outcome


def add_passing_over(group: Group) -> None:
    """The option."""
    group.add_argument(
        "--skip-without-kernels",
        action="store_true",
        help="pass over scripts that define no kernel, without running them, and those that launch none",
    )


def with_kernels(asked: Request) -> Request:
    """The request without the scripts whose text defines no kernel; what cannot be read stays, to be told."""
    from dataclasses import replace
    from pathlib import Path

    from gluon_inspect.loading.defined import kernel_lines
    from gluon_inspect.workflow.steps import is_script

    def has_kernels(path: str) -> bool:
        file = Path(path.partition("::")[0])
        if asked.module or not is_script(path, asked) or not file.is_file():
            return True
        return bool(kernel_lines(file.read_text(encoding="utf-8", errors="replace")))

    return replace(asked, paths=tuple(path for path in asked.paths if has_kernels(path)))


def with_launches(outcome: Outcome) -> Outcome:
    """The outcome without the inputs that launched no kernel, each told in a line."""
    from gluon_inspect.commands._output import say
    from gluon_inspect.errors import NothingLaunched
    from gluon_inspect.workflow.inspection import Outcome

    for result in outcome.results:
        if isinstance(result, NothingLaunched):
            say(f"note: {result.message}: passed over")
    return Outcome([result for result in outcome.results if not isinstance(result, NothingLaunched)])
