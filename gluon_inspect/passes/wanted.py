"""What is asked to be followed: a line, an operation's name, or a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gluon_inspect.errors import UsageError
from gluon_inspect.ir.operations import ttg
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport
from gluon_inspect.passes.blame import Wanted
from gluon_inspect.passes.sightings import family_of

_LINE = re.compile(r"(?:(.*):)?(\d+)")


def wanted_line(line: str | None, operation: str) -> Wanted | None:
    """`[FILE:]N` and an operation's name, either of which may be missing; None without both.

    Raises UsageError for a line that is none.
    """
    if line is None:
        return Wanted(operation=operation) if operation else None
    found = _LINE.fullmatch(line)
    if found is None or not int(found[2]):
        raise UsageError(f"--line {line!r} is not [FILE:]N", hint="for example --line 24 or --line kernels.py:24")
    return Wanted(int(found[2]), found[1] or "", operation)


def wanted_finding(reports: Sequence[KernelReport], wanted: str) -> Wanted | None:
    """The place and the kind of operation that a finding is about; None if no report has it.

    `wanted` is a finding's id, its rule's code or its rule's name; of several the costliest is followed.
    Raises UsageError for a finding that has no place in the source.
    """
    for report in reports:
        for finding in report.findings:
            if wanted in (finding.id, finding.rule, finding.name):
                return _of_finding(report, finding)
    return None


def _of_finding(report: KernelReport, finding: Finding) -> Wanted:
    if finding.location is None:
        raise UsageError(f"finding {finding.id} has no place in the source to follow")
    access = next((access for access in report.accesses if access.id == finding.subject), None)
    conversion = next((one for one in report.conversions if one.id == finding.subject), None)
    name = access.op if access else ttg.CONVERT_LAYOUT.name if conversion else ""
    return Wanted(finding.location.line, finding.location.file, name if family_of(name) else "")
