"""`gluon-inspect rules`: what each rule looks for, why it matters and what it does not model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from gluon_inspect.errors import UsageError

if TYPE_CHECKING:
    from gluon_inspect.model.finding import Rule

NAME = "rules"
_HEAD = """\
# Rules

Written by `gluon-inspect rules --format markdown`; the texts stand beside each rule's analysis.
"""
HELP = "explain the rules, all or one (GI101 or uncoalesced-access)"


def add_arguments(parser: ArgumentParser) -> None:
    """Which rules, and in which format."""
    parser.add_argument("rules", nargs="*", metavar="RULE", help="codes or names (default: all)")
    parser.add_argument("--format", choices=("text", "markdown"), default="text")


def run(arguments: Namespace) -> int:
    """Print the rules asked for."""
    from gluon_inspect.pipeline import all_rules
    from gluon_inspect.workflow.budgets import OVER_BUDGET

    known = sorted((*all_rules(), OVER_BUDGET), key=lambda rule: rule.code)
    rules = _asked_for(known, arguments.rules)
    if arguments.format == "markdown":
        print(markdown(rules), end="")  # noqa: T201
    elif arguments.rules:
        print("\n".join(_text(rule) for rule in rules), end="")  # noqa: T201
    else:
        print("\n".join(f"{rule.code}  {rule.name}: {rule.summary}" for rule in rules))  # noqa: T201
    return 0


def _asked_for(rules: Sequence[Rule], names: Sequence[str]) -> tuple[Rule, ...]:
    if not names:
        return tuple(rules)
    known = {key: rule for rule in rules for key in (rule.code, rule.name)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"no rule is called {unknown[0]!r}", hint="`gluon-inspect rules` lists them")
    return tuple(known[name] for name in names)


def markdown(rules: Sequence[Rule]) -> str:
    """The reference of the rules, as docs/rules.md holds it."""
    return "\n".join((_HEAD, *(_page(rule) for rule in rules)))


def _page(rule: Rule) -> str:
    lines = [f"## {rule.code} {rule.name}\n", f"{rule.summary}\n"]
    lines.extend(f"**{title}** {text.strip()}\n" for title, text in _sections(rule))
    lines.extend(f"{title}:\n\n```python\n{code.strip()}\n```\n" for title, code in _examples(rule))
    return "\n".join(lines)


def _text(rule: Rule) -> str:
    fill = _filler()
    parts = [f"{rule.code} {rule.name}", fill(rule.summary)]
    parts.extend(f"{title}\n{fill(text)}" for title, text in _sections(rule))
    parts.extend(f"{title}\n\n{_indented(code)}" for title, code in _examples(rule))
    return "\n\n".join(parts) + "\n"


def _filler() -> Callable[[str], str]:
    from textwrap import fill

    return lambda text: fill(text.strip(), 88, initial_indent="  ", subsequent_indent="  ")


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in code.strip().split("\n"))


def _sections(rule: Rule) -> Iterator[tuple[str, str]]:
    titled = (
        ("What it finds.", rule.what),
        ("Why it matters.", rule.why),
        ("How it is found.", rule.how),
        ("Not modelled.", rule.not_modelled),
    )
    yield from ((title, text) for title, text in titled if text)


def _examples(rule: Rule) -> Iterator[tuple[str, str]]:
    yield from ((title, code) for title, code in (("Bad", rule.bad), ("Good", rule.good)) if code)
