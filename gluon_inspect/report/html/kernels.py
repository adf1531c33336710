"""One section a kernel: verdict, findings, source with marks, tables."""

from collections.abc import Iterable, Iterator, Mapping

from gluon_inspect.model.finding import Column, Finding, Table
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.html.drawings import lanes_on_sectors, layout_drawings, time_bars
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.report.html.sources import source_listings
from gluon_inspect.report.html.tables import folded, table, titled
from gluon_inspect.tables.accesses import access_tables
from gluon_inspect.tables.conversions import conversion_tables
from gluon_inspect.tables.resources import coverage_tables, instruction_tables, resource_table
from gluon_inspect.wording.numbers import plain, plural
from gluon_inspect.wording.places import place
from gluon_inspect.wording.verdict import verdict

_EVIDENCE = (Column("number"), Column("value"))


def kernel_section(kernel: KernelReport, index: int, sources: Mapping[str, str]) -> Html:
    """Everything about one kernel and launch."""
    judged = verdict(kernel)
    title = tag("h2", text(kernel.name, 200), text(" "), tag("small", text(", ".join(_launch(kernel)))))
    return tag(
        "section",
        title,
        tag("p", tag("strong", text(judged.level), class_=judged.level), text(f": {judged.text}")),
        tag("p", text(f"made from {kernel.made_from}", 600)) if kernel.made_from else Html(""),
        *_problems(kernel),
        *(_finding(kernel, finding) for finding in kernel.findings),
        source_listings(kernel, sources),
        _titled(access_tables(kernel)),
        layout_drawings(kernel),
        time_bars(kernel),
        _titled((*conversion_tables(kernel), resource_table(kernel))),
        *map(folded, (*instruction_tables(kernel), *kernel.tables)),
        *_coverage(kernel),
        id=f"kernel-{index}",
    )


def _launch(kernel: KernelReport) -> Iterator[str]:
    yield kernel.kernel.target
    yield "grid " + ("x".join(str(axis) for axis in kernel.launch.grid) if kernel.launch.grid else "unknown")
    if kernel.num_warps is not None:
        yield plural(kernel.num_warps, "warp")
    yield f"launched {kernel.launch.count:,} times" if kernel.launch.count != 1 else "launched once"


def _problems(kernel: KernelReport) -> Iterator[Html]:
    if kernel.kernel.error:
        yield tag("pre", text(kernel.kernel.error, 4000), class_="error")
    for problem in kernel.problems:
        if problem != kernel.kernel.error:
            yield tag("p", text(f"problem: {problem}"), class_="warning")


def _finding(kernel: KernelReport, finding: Finding) -> Html:
    head = tag(
        "h3",
        tag("span", text(f"{finding.rule} {finding.name}"), class_=finding.severity.value),
        text(" "),
        tag("code", text(place(finding.location))),
    )
    subject = next((access for access in kernel.accesses if access.id == finding.subject), None)
    numbers = tuple((key, plain(value)) for key, value in finding.evidence.items())
    return tag(
        "article",
        head,
        tag("p", text(finding.message)),
        lanes_on_sectors(subject) if subject else Html(""),
        tag("p", text(f"help: {finding.help}"), class_="help") if finding.help else Html(""),
        tag(
            "details",
            tag("summary", text(f"evidence (numbers {finding.confidence.value}, model {finding.model.value})")),
            table(Table("evidence", "", _EVIDENCE, numbers)),
        ),
        class_="finding",
    )


def _titled(tables: Iterable[Table]) -> Html:
    return joined(*(part for table in tables for part in titled(table)))


def _coverage(kernel: KernelReport) -> Iterator[Html]:
    for found in coverage_tables(kernel):
        yield tag("p", text(found.title))
        if found.rows:
            yield table(found)
