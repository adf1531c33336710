"""`gluon-inspect rules`: what each rule looks for, why it matters and what it does not model."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from gluon_inspect.commands._parser import did_you_mean
from gluon_inspect.errors import UsageError
from gluon_inspect.wording.examples import IMPORTS
from gluon_inspect.wording.words import WORDS, meaning

if TYPE_CHECKING:
    from gluon_inspect.model.finding import Rule

NAME = "rules"
_HEAD = f"""\
# Rules

Written by `gluon-inspect rules --format markdown`; the texts stand beside each rule's analysis. Tests run every
example: the bad kernel gives the finding, the good one does not. Each follows these imports:

```python
{IMPORTS}```
"""
_USUAL_TARGET = "cuda:90"
HELP = "explain the rules, all or one (GI101 or uncoalesced-access), or a word (wavefront)"
EXAMPLES = """
gluon-inspect rules                  all of them
gluon-inspect rules GI101            one, with bad and good code
gluon-inspect rules wavefront        a word of the reports
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Which rules, and in which format."""
    parser.add_argument(
        "rules",
        nargs="*",
        metavar="RULE",
        help="codes or names (default: all), or words of docs/words.md",
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")


def run(arguments: Namespace) -> int:
    """Print the rules asked for."""
    from gluon_inspect.project.gate import known_rules

    every = known_rules()
    words = [name for name in arguments.rules if meaning(name) and not _named(every, name)]
    rules = _asked_for(every, [name for name in arguments.rules if name not in words])
    print("".join(f"{word}: {meaning(word)}\n" for word in words), end="")  # noqa: T201
    if words and len(words) == len(arguments.rules):
        return 0
    match arguments.format:
        case "markdown":
            text = markdown(rules)
        case "json":
            text = json.dumps([asdict(rule) for rule in rules], indent=2) + "\n"
        case _:
            text = _pages(rules) if arguments.rules else _list(rules)
    print(text, end="")  # noqa: T201
    return 0


def _list(rules: Sequence[Rule]) -> str:
    return "".join(f"{rule.code}  {rule.name}: {rule.summary}\n" for rule in rules)


def _pages(rules: Sequence[Rule]) -> str:
    imports = f"Imports of the examples\n\n{_indented(IMPORTS)}\n"
    return "\n".join((*map(_text, rules), imports))


def _asked_for(rules: Sequence[Rule], names: Sequence[str]) -> tuple[Rule, ...]:
    if not names:
        return tuple(rules)
    found = [(name, _named(rules, name)) for name in names]
    unknown = [name for name, rule in found if rule is None]
    if unknown:
        known = [word for rule in rules for word in (rule.code, rule.name)]
        raise UsageError(
            f"no rule is called {unknown[0]!r}{did_you_mean(unknown[0], [*known, *WORDS])}",
            hint="`gluon-inspect rules` lists them",
        )
    return tuple(rule for _, rule in found if rule is not None)


def _named(rules: Sequence[Rule], name: str) -> Rule | None:
    return next((rule for rule in rules if name in (rule.code, rule.name)), None)


def markdown(rules: Sequence[Rule]) -> str:
    """The reference of the rules, as docs/rules.md holds it."""
    return "\n".join((_HEAD, *(_page(rule) for rule in rules)))


def _page(rule: Rule) -> str:
    lines = [f"## {rule.code} {rule.name}\n", f"{rule.summary}\n"]
    lines.extend(f"**{title}** {text.strip()}\n" for title, text in _sections(rule))
    lines.extend(
        f"{title}{_for_target(rule)}:\n\n```{rule.example_language}\n{code.strip()}\n```\n"
        for title, code in _examples(rule)
    )
    return "\n".join(lines)


def _text(rule: Rule) -> str:
    fill = _filler()
    parts = [f"{rule.code} {rule.name}", fill(rule.summary)]
    parts.extend(f"{title}\n{fill(text)}" for title, text in _sections(rule))
    parts.extend(f"{title}{_for_target(rule)}\n\n{_indented(code)}" for title, code in _examples(rule))
    return "\n\n".join(parts) + "\n"


def _filler() -> Callable[[str], str]:
    from textwrap import fill

    return lambda text: fill(text.strip(), 80, initial_indent="  ", subsequent_indent="  ")


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in code.strip().split("\n"))


def _sections(rule: Rule) -> Iterator[tuple[str, str]]:
    titled = (
        ("What.", rule.what),
        ("Why it costs.", rule.why),
        ("How it is found.", rule.how),
        ("What is not modelled.", rule.not_modelled),
    )
    yield from ((title, text) for title, text in titled if text)


def _for_target(rule: Rule) -> str:
    return f" (for {rule.example_target})" if rule.example_target != _USUAL_TARGET else ""


def _examples(rule: Rule) -> Iterator[tuple[str, str]]:
    yield from ((title, code) for title, code in (("Bad", rule.bad), ("Good", rule.good)) if code)
