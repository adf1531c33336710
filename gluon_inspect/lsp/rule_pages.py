"""A page for each rule, for editors to open from a diagnostic's code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gluon_inspect.model.finding import Rule
from gluon_inspect.project.gate import known_rules


def write_rule_pages(folder: Path) -> str:
    """Write `GI101.md` and so on; the folder's URI, empty where it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for rule in known_rules():
            (folder / f"{rule.code}.md").write_text("\n\n".join(_parts(rule)) + "\n", encoding="utf-8")
    except OSError:
        return ""
    return folder.absolute().as_uri()


def _parts(rule: Rule) -> Iterator[str]:
    yield f"# {rule.code} {rule.name}"
    yield rule.summary
    sections = {
        "What": rule.what,
        "Why it matters": rule.why,
        "How it is found": rule.how,
        "Not modelled": rule.not_modelled,
    }
    yield from (f"**{title}.** {text}" for title, text in sections.items() if text)
    for title, code in (("Gives it", rule.bad), ("Does not", rule.good)):
        if code:
            yield f"{title}:\n\n```{rule.example_language}\n{code.strip()}\n```"
