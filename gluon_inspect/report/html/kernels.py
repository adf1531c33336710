"""One section a kernel: verdict, findings, source with marks, tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.html.drawings import lanes_on_sectors, share_bar
from gluon_inspect.report.html.elements import Html, tag, text
from gluon_inspect.report.html.layouts import layout_drawings
from gluon_inspect.report.html.sources import source_listings
from gluon_inspect.report.html.tables import Cell, number, scalar, table, word
from gluon_inspect.report.html.times import time_bars
from gluon_inspect.wording.layouts import short_layout
from gluon_inspect.wording.numbers import count, percent, plain, plural, ratio, size
from gluon_inspect.wording.places import place
from gluon_inspect.wording.verdict import verdict

_GOOD, _FAIR = 0.9, 0.5


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
        *_accesses(kernel),
        layout_drawings(kernel),
        time_bars(kernel),
        *_conversions(kernel),
        *_resources(kernel),
        *_tables(kernel),
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
    evidence = ((word(key), word(plain(value))) for key, value in finding.evidence.items())
    return tag(
        "article",
        head,
        tag("p", text(finding.message)),
        lanes_on_sectors(subject) if subject else Html(""),
        tag("p", text(f"help: {finding.help}"), class_="help") if finding.help else Html(""),
        tag(
            "details",
            tag("summary", text(f"evidence (numbers {finding.confidence.value}, model {finding.model.value})")),
            table(("number", "value"), evidence),
        ),
        class_="finding",
    )


def _accesses(kernel: KernelReport) -> Iterator[Html]:
    heads = ("line", "access", "layout", "bits", "requests", "sectors", "per request", "used", "", "trust")
    other = [access for access in kernel.accesses if access.space is not Space.SHARED]
    if other:
        yield tag("h3", text("Memory accesses"))
        yield table(heads, (_access(access) for access in other))
    shared = [access for access in kernel.accesses if access.space is Space.SHARED and not access.is_bulk]
    if shared:
        yield tag("h3", text("Shared memory"))
        columns = ("line", "access", "layout", "memory layout", "requests", "wavefronts", "ideal", "trust")
        yield table(columns, (_shared(access) for access in shared))
    bulk = [access for access in kernel.accesses if access.space is Space.SHARED and access.is_bulk]
    if bulk:
        yield tag("h3", text("Shared memory by bulk copies and matrix units"))
        yield table(("line", "access", "layout", "instructions", "bytes", "trust"), (_bulk(a) for a in bulk))


def _access(access: Access) -> tuple[Cell, ...]:
    return (
        number(access.location.author.line if access.location else None),
        word(f"{access.space.value} {access.direction.value} {access.op}"),
        word(short_layout(access.layout)),
        word("") if access.is_bulk else number(access.vector_bits),
        word("") if access.is_bulk else number(access.requests),
        number(access.sectors),
        word("") if access.is_bulk else number(access.sectors_per_request, ratio(access.sectors_per_request)),
        number(access.efficiency, percent(access.efficiency), _grade(access.efficiency)),
        Cell(share_bar(access.efficiency)),
        word(access.confidence.value),
    )


def _shared(access: Access) -> tuple[Cell, ...]:
    ideal, actual = access.wavefronts_ideal, access.wavefronts
    share = ideal / actual if ideal is not None and actual else None
    return (
        number(access.location.author.line if access.location else None),
        word(f"{access.direction.value} {access.op}"),
        word(short_layout(access.layout)),
        word(short_layout(access.memory_layout)),
        number(access.requests),
        number(actual, grade=_grade(share)),
        number(ideal),
        word(access.confidence.value),
    )


def _bulk(access: Access) -> tuple[Cell, ...]:
    return (
        number(access.location.author.line if access.location else None),
        word(f"{access.direction.value} {access.op}"),
        word(short_layout(access.memory_layout)),
        number(access.transactions),
        number(access.bytes_requested),
        word(access.confidence.value),
    )


def _grade(share: float | None) -> str:
    if share is None:
        return ""
    return "good" if share >= _GOOD else "fair" if share >= _FAIR else "poor"


def _conversions(kernel: KernelReport) -> Iterator[Html]:
    if not kernel.conversions:
        return
    yield tag("h3", text("Layout conversions"))
    heads = ("line", "operation", "from", "to", "by", "scratch", "wavefronts", "ideal", "pays", "why")
    rows = (
        (
            number(conversion.location.author.line if conversion.location else None),
            word(conversion.op),
            word(short_layout(conversion.source)),
            word(short_layout(conversion.target)),
            word(conversion.kind.value),
            number(conversion.scratch_bytes, size(conversion.scratch_bytes)),
            number(conversion.wavefronts),
            number(conversion.wavefronts_ideal),
            scalar(conversion.pays),
            word(conversion.why),
        )
        for conversion in kernel.conversions
    )
    yield table(heads, rows)


def _resources(kernel: KernelReport) -> Iterator[Html]:
    occupancy = kernel.occupancy
    rows = [
        (word("registers a thread"), number(kernel.registers.per_thread)),
        (word("spilled"), number(kernel.registers.spill_bytes, size(kernel.registers.spill_bytes))),
        (word("shared memory a CTA"), number(kernel.shared_bytes, size(kernel.shared_bytes))),
        (
            word("occupancy"),
            number(occupancy.fraction if occupancy else None, percent(occupancy.fraction if occupancy else None)),
        ),
    ]
    if occupancy:
        rows.append((word("limited by"), word(", ".join(occupancy.limited_by))))
    rows.extend(
        (word(metric.title), word(f"{plain(metric.value)} {metric.unit}".strip())) for metric in kernel.metrics
    )
    yield tag("h3", text("Resources"))
    yield table(("what", "value"), rows)
    yield from _instructions(kernel)


def _instructions(kernel: KernelReport) -> Iterator[Html]:
    static, executed = kernel.instructions_static, kernel.instructions_executed
    names = dict.fromkeys([*static, *executed])
    if names:
        rows = ((word(name), number(static.get(name)), number(executed.get(name))) for name in names)
        drawn = table(("instruction", "static", "executed by warps"), rows)
        yield tag("details", tag("summary", text("Instructions")), drawn)


def _tables(kernel: KernelReport) -> Iterator[Html]:
    for drawn in kernel.tables:
        heads = [f"{column.title} ({column.unit})" if column.unit else column.title for column in drawn.columns]
        body = table(heads, ([scalar(value) for value in row] for row in drawn.rows))
        note = tag("p", text(drawn.note)) if drawn.note else Html("")
        yield tag("details", tag("summary", text(drawn.title)), body, note)


def _coverage(kernel: KernelReport) -> Iterator[Html]:
    coverage = kernel.coverage
    if not kernel.has_ir:
        return
    yield tag("p", text(f"{count(coverage.understood)} of {plural(coverage.operations, 'operation')} understood"))
    gaps = [(name, times, "not understood") for name, times in coverage.not_understood.items()]
    gaps += [(name, times, "not modelled") for name, times in coverage.unmodelled.items()]
    if gaps:
        yield table(("operation", "times", "gap"), ((word(n), number(t), word(g)) for n, t, g in gaps))
