"""`# gluon-inspect: ignore[GI101] reason` at a line, `ignore-file[...]` for a file; unused ones are said."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport, Report

_COMMENT = re.compile(r"#\s*gluon-inspect:\s*ignore(?P<file>-file)?\[(?P<rules>[\w\-, ]+)\]\s*(?P<reason>.*)")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment and rule. `line` 0 covers the whole file; `at` is the comment's own line."""

    file: str
    line: int
    rule: str
    reason: str
    at: int

    def covers(self, finding: Finding) -> bool:
        """Whether a finding of this rule has this line, or any line of the file, among its places."""
        if finding.location is None or self.rule not in (finding.rule, finding.name):
            return False
        places = finding.location.chain
        return any(place.file == self.file and self.line in (0, place.line) for place in places)


def suppressions(sources: Mapping[str, str]) -> tuple[Suppression, ...]:
    """Every suppression in some Python sources; one for each rule that a comment names."""
    return tuple(found for file, source in sources.items() for found in _in_file(file, source))


def _in_file(file: str, source: str) -> Iterator[Suppression]:
    if "gluon-inspect:" not in source:
        return
    for line, comment, alone in _comments(source):
        match = _COMMENT.match(comment)
        if match is None:
            continue
        covered = 0 if match["file"] else line + 1 if alone else line
        for rule in filter(None, (name.strip() for name in match["rules"].split(","))):
            yield Suppression(file, covered, rule, match["reason"].strip(), line)


def _comments(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line, text, and whether the comment stands alone (it then speaks of the next line)."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string, not token.line[: token.start[1]].strip()
    except (tokenize.TokenError, SyntaxError):
        return  # Not Python, or cut off: nothing more can be said in it.


def suppressed(report: Report) -> Report:
    """The report without the findings that comments ignore; notes say how many, and which comment is of no use."""
    found = suppressions(report.sources)
    if not found:
        return report
    used: set[Suppression] = set()
    kernels = tuple(_without(kernel, found, used) for kernel in report.kernels)
    dropped = sum(len(old.findings) - len(new.findings) for old, new in zip(report.kernels, kernels, strict=True))
    notes = tuple(
        f"{one.file}:{one.at}: ignore[{one.rule}] suppresses nothing" for one in found if one not in used
    )
    said = "1 finding is ignored by a comment" if dropped == 1 else f"{dropped} findings are ignored by comments"
    count = (said,) if dropped else ()
    return replace(report, kernels=kernels, notes=report.notes + count + notes)


def _without(kernel: KernelReport, found: tuple[Suppression, ...], used: set[Suppression]) -> KernelReport:
    kept: list[Finding] = []
    for finding in kernel.findings:
        covering = [one for one in found if one.covers(finding)]
        used.update(covering)
        if not covering:
            kept.append(finding)
    return replace(kernel, findings=tuple(kept))
