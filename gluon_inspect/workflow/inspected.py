"""A report that answers questions: for tests and notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from gluon_inspect.errors import UsageError
from gluon_inspect.model.access import Access
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import Report
from gluon_inspect.report import load_format


class Inspected(Report):
    """A Report with questions on top; what does not exist raises, so that an assertion never passes by mistake."""

    __slots__ = ()

    @classmethod
    def of(cls, report: Report) -> Inspected:
        """The same report, able to answer."""
        return cls(**{field.name: getattr(report, field.name) for field in fields(report)})

    def plain(self) -> Report:
        """The report without the questions, as it crosses to another process."""
        return Report(**{field.name: getattr(self, field.name) for field in fields(self)})

    def accesses(
        self,
        *,
        line: int | None = None,
        op: str | None = None,
        space: str | None = None,
        direction: str | None = None,
    ) -> tuple[Access, ...]:
        """Every access at a line (callers of inlined helpers count), of an operation, space and direction."""
        wanted = {"op": op, "space": space, "direction": direction}
        return tuple(
            access
            for kernel in self.kernels
            for access in kernel.accesses
            if line is None or line in _lines(access)
            if all(value is None or str(getattr(access, name)) == value for name, value in wanted.items())
        )

    def access(
        self,
        *,
        line: int | None = None,
        op: str | None = None,
        space: str | None = None,
        direction: str | None = None,
    ) -> Access:
        """The one access that fits; UsageError if none or several do, naming what there is."""
        found = self.accesses(line=line, op=op, space=space, direction=direction)
        if len(found) != 1:
            there = ", ".join(f"{a.space} {a.direction} {a.op} at {a.location}" for a in found or self.accesses())
            raise UsageError(f"{len(found)} accesses fit, not one", hint=f"there are: {there or 'none'}")
        return found[0]

    def found(self, rule: str) -> tuple[Finding, ...]:
        """The findings of a rule, by code or name."""
        return tuple(f for kernel in self.kernels for f in kernel.findings if rule in (f.rule, f.name))

    def has_no(self, rule: str) -> bool:
        """Whether the rule found nothing. UsageError where nothing was judged: no kernel, or one that failed."""
        broken = [kernel.name for kernel in self.kernels if kernel.kernel.error or kernel.unread or kernel.faults]
        if broken or not self.kernels:
            raise UsageError(
                f"nothing was judged: {', '.join(broken) or 'no kernel'} could not be read or compiled"
            )
        return not self.found(rule)

    def _repr_html_(self) -> str:
        """The HTML report, for notebooks."""
        return load_format("html").render(self)


def _lines(access: Access) -> Iterator[int]:
    if access.location is not None:
        yield from (place.line for place in access.location.chain)
