"""What can be done at a line: the proposal, compiled and inspected first; the proposal as it is; a suppression."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    Command,
    Diagnostic,
    Position,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from gluon_inspect.explaining.fixes import Fix
from gluon_inspect.fixing.edits import Edit
from gluon_inspect.lsp.diagnostics import SOURCE, uri_of
from gluon_inspect.lsp.lenses import FIX
from gluon_inspect.lsp.lines import Encoding, Lines, lines_of, units
from gluon_inspect.lsp.seen import Seen, is_in, of_file, real
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.characters import visible

Texts = Mapping[str, str]
"""Open documents by their real paths."""


def actions(
    seen: Sequence[Seen],
    file: str,
    open_texts: Texts,
    place: Range,
    given: Sequence[Diagnostic],
    encoding: Encoding,
) -> list[CodeAction]:
    """The actions for some lines of a file; fixes only where its files are as they were recorded."""
    text = open_texts.get(real(file), "")
    own = [each for each in given if each.source == SOURCE]
    found: list[CodeAction] = []
    for each, lines in of_file(seen, file, text):
        found += _fixes(each, lines, file, open_texts, place, own, encoding)
    for diagnostic in own:
        action = _suppression(file, text, diagnostic, encoding)
        if action is not None:
            found.append(action)
    return found


def _fixes(
    seen: Seen,
    lines: Lines,
    file: str,
    open_texts: Texts,
    place: Range,
    given: Sequence[Diagnostic],
    encoding: Encoding,
) -> Iterator[CodeAction]:
    wanted = {lines.recorded(line) for line in range(place.start.line, place.end.line + 1)} - {None}
    said: set[str] = set()
    for index, kernel in enumerate(seen.report.kernels):
        if not wanted & _lines_of(kernel, file):
            continue
        for number, fix in enumerate(seen.studied[index].fixes if index in seen.studied else ()):
            edit = as_workspace_edit(seen, fix, open_texts, encoding)
            title = _title(fix)
            if edit is None or title in said:
                continue
            said.add(title)
            run = Command(title, FIX, arguments=[seen.script, index, number])
            yield CodeAction(
                f"{title}: compile, inspect, and apply if better",
                kind=CodeActionKind.QuickFix,
                diagnostics=list(given) or None,
                command=run,
                is_preferred=number == 0,
            )
            yield CodeAction(f"{title}: apply as it is", kind=CodeActionKind.Refactor, edit=edit)


def _lines_of(kernel: KernelReport, file: str) -> set[int | None]:
    """Lines at which a kernel's fixes are offered: those of its findings, and of what they are about."""
    subjects = {finding.subject for finding in kernel.findings}
    places = [finding.location for finding in kernel.findings]
    places += [access.location for access in kernel.accesses if access.id in subjects]
    found: set[int | None] = {each.author.line for each in places if each is not None and is_in(each, file)}
    return found


def _title(fix: Fix) -> str:
    effect = fix.proposal.effect
    gain = f" ({effect.speedup:.2g}× expected)" if effect is not None and effect.speedup is not None else ""
    return f"{visible(fix.proposal.title)}{gain}"


def as_workspace_edit(seen: Seen, fix: Fix, open_texts: Texts, encoding: Encoding) -> WorkspaceEdit | None:
    """A fix as the protocol has it; None where a file is open with another text than was recorded."""
    changes: dict[str, Sequence[TextEdit]] = {}
    for file, edits in fix.edits.items():
        recorded = seen.texts.get(real(file), "")
        now = open_texts.get(real(file), recorded)
        if lines_of(now) != lines_of(recorded):
            return None
        changes[uri_of(file)] = [_text_edit(recorded, edit, encoding) for edit in edits]
    return WorkspaceEdit(changes=changes)


def _text_edit(text: str, edit: Edit, encoding: Encoding) -> TextEdit:
    data = text.encode()
    start, end = (_position(data[:at].decode(), encoding) for at in (edit.start, edit.end))
    return TextEdit(Range(start, end), edit.text)


def _position(before: str, encoding: Encoding) -> Position:
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Position(len(lines) - 1, units(lines[-1], encoding))


def _suppression(file: str, text: str, diagnostic: Diagnostic, encoding: Encoding) -> CodeAction | None:
    """A comment that ignores the rule there: at the line's end, or above a line that has a comment or goes on."""
    rule = diagnostic.code
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    line = diagnostic.range.start.line
    if not isinstance(rule, str) or not rule.startswith("GI") or line >= len(lines):
        return None
    own = lines[line]
    comment = f"# gluon-inspect: ignore[{rule}] reason: "
    if _takes_a_comment(own):
        end = Position(line, units(own.rstrip(), encoding))
        edit = TextEdit(Range(end, Position(line, units(own, encoding))), f"  {comment}")
    else:
        indent = own[: len(own) - len(own.lstrip())]
        edit = TextEdit(Range(Position(line, 0), Position(line, 0)), f"{indent}{comment}\n")
    return CodeAction(
        f"Ignore {rule} at this line, with a reason",
        kind=CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=WorkspaceEdit(changes={uri_of(file): [edit]}),
    )


def _takes_a_comment(line: str) -> bool:
    """Whether what follows the line's last token would be a comment: it has none, and no text is open."""
    try:
        tokens = list(tokenize.generate_tokens(StringIO(line.strip()).readline))
    except (tokenize.TokenError, SyntaxError):
        return False
    return all(token.type not in (tokenize.COMMENT, tokenize.ERRORTOKEN) for token in tokens)
