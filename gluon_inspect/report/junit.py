"""JUnit XML: a suite a kernel and launch, a failing case a finding; one passing case where nothing was found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.places import place
from gluon_inspect.wording.verdict import verdict

NAME = "junit"
_NOT_XML = re.compile("[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, style: Style = PLAIN) -> str:  # noqa: ARG001 - XML looks the same everywhere
    """The document. Notes pass; warnings and errors fail; what did not compile or raised is an error."""
    suites = [*_script(report), *(_suite(kernel) for kernel in report.kernels)]
    root = Element("testsuites", {"name": "gluon-inspect"} | _totals(suites))
    root.extend(suites)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _totals(suites: list[Element]) -> dict[str, str]:
    return {key: str(sum(int(suite.get(key, "0")) for suite in suites)) for key in ("tests", "failures", "errors")}


def _script(report: Report) -> Iterator[Element]:
    if report.error is None:
        return
    suite = Element("testsuite", name=_safe(report.origin), tests="1", failures="0", errors="1")
    case = SubElement(suite, "testcase", classname=_safe(report.origin), name="script")
    where = f"{report.error.file}:{report.error.line}"
    SubElement(case, "error", message=_safe(report.error.message), type="script-error").text = _safe(where)
    yield suite


def _suite(kernel: KernelReport) -> Element:
    name = _safe(f"{kernel.name} {kernel.kernel.target} {kernel.launch.id}")
    cases = [*_cases(kernel, name)]
    failures = sum(case.find("failure") is not None for case in cases)
    errors = sum(case.find("error") is not None for case in cases)
    suite = Element("testsuite", name=name, tests=str(len(cases)), failures=str(failures), errors=str(errors))
    suite.extend(cases)
    return suite


def _cases(kernel: KernelReport, classname: str) -> Iterator[Element]:
    told = kernel.kernel.error or kernel.unread
    if told:
        what = "compiled" if kernel.kernel.error else "read"
        case = Element("testcase", classname=classname, name=what)
        SubElement(case, "error", message=f"not {what}", type="error").text = _safe(told)
        yield case
        return
    for finding in kernel.findings:
        yield _case(finding, classname)
    judged = verdict(kernel)
    if not kernel.findings:
        case = Element("testcase", classname=classname, name="layouts")
        if judged.level == "unknown":
            SubElement(case, "skipped", message=_safe(judged.text))
        yield case


def _case(finding: Finding, classname: str) -> Element:
    case = Element("testcase", classname=classname, name=_safe(f"{finding.rule} {finding.name} {finding.id}"))
    if finding.location is not None:
        case.set("file", _safe(finding.location.author.file))
        case.set("line", str(finding.location.author.line))
    body = _safe("; ".join(filter(None, (place(finding.location), finding.message, finding.help))))
    if finding.severity is Severity.NOTE:
        SubElement(case, "system-out").text = body
    else:
        SubElement(case, "failure", message=_safe(finding.message), type=finding.severity.value).text = body
    return case


def _safe(text: str) -> str:
    return _NOT_XML.sub("\ufffd", visible(text))
