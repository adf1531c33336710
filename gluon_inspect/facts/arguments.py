"""Which numbers rest on arguments that are not given, or only assumed: marked in the records, told in a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from gluon_inspect.facts.severity import capped
from gluon_inspect.ir.dependence import Dependence, parameter_types
from gluon_inspect.ir.slices import is_integral
from gluon_inspect.model.access import Access, Conversion
from gluon_inspect.model.artifact import Launch
from gluon_inspect.model.confidence import Confidence, weakest
from gluon_inspect.model.finding import Column, Finding, Scalar, Table
from gluon_inspect.model.mlir import Module
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.types import DescriptorType, PointerType, ScalarType, Type
from gluon_inspect.traffic.launch import entry_function

KEY = "open_arguments"
GRID = "--grid"
_COLUMNS = (
    Column("parameter"),
    Column("type"),
    Column("state"),
    Column("accesses", "right"),
    Column("lines"),
    Column("findings"),
)
_NOTE = (
    "The numbers of these accesses are unknown or assumed until --arg NAME=VALUE (or --arg-file FILE) and --grid "
    "say what the kernel is launched with; --assume NAME=VALUE tries a value."
)


class _State(StrEnum):
    UNKNOWN = "not given"
    STARTS_ALIGNED = "not given: taken to start aligned"
    ASSUMED = "assumed"


def open_names(parameters: Iterable[str], launch: Launch) -> tuple[str, ...]:
    """Parameters whose value is not given, or only assumed."""
    given = launch.arguments.keys() - set(launch.assumed)
    # a descriptor from the host is given whole: desc, desc.shape.0 …
    return tuple(name for name in parameters if name not in given and name.partition(".")[0] not in given)


class OpenArguments:
    """The parameters of one launch without a given value, and what rests on them."""

    def __init__(self, dependence: Dependence, launch: Launch) -> None:
        self._dependence = dependence
        self._assumed = frozenset(launch.assumed)
        self._open = open_names(dependence.parameters, launch)

    def access(self, access: Access) -> Access:
        """The record with the open arguments it depends on; ASSUMED at best where a value of them is assumed."""
        behind = self._dependence.of(access.result_of)
        if not (found := tuple(name for name in self._open if name in behind)):
            return access
        return replace(
            access,
            open_arguments=found,
            made_up_strides=self._strides(access.result_of),
            confidence=self._confidence(access.confidence, found),
            reason=access.reason or self._reason(found),
        )

    def conversion(self, conversion: Conversion) -> Conversion:
        """The same of a conversion."""
        found = self._dependence.of(conversion.result_of)
        return replace(conversion, confidence=self._confidence(conversion.confidence, found))

    def _strides(self, start: int) -> tuple[str, ...]:
        behind = self._dependence.of_address(start) - self._assumed
        types = self._dependence.parameters
        return tuple(n for n in self._open if n in behind and is_integral(types[n]) and not _is_pointer(types[n]))

    def _confidence(self, found: Confidence, behind: Iterable[str]) -> Confidence:
        return weakest(found, Confidence.ASSUMED) if self._assumed.intersection(behind) else found

    def _reason(self, found: Iterable[str]) -> str:
        names = [name for name in found if name in self._assumed]
        return f"rests on the assumed {', '.join(names)}" if names else ""


def with_open_arguments(report: KernelReport, module: Module | None) -> KernelReport:
    """The report with a table of what is still needed, and no error that rests on a value only assumed."""
    function = None if module is None else entry_function(module, report.name)
    if function is None:
        return report
    rows = tuple(_rows(report, parameter_types(function)))
    if not rows:
        return report
    table = Table(KEY, "Arguments that are still needed", _COLUMNS, rows, note=_NOTE)
    accesses = {access.id: access for access in report.accesses}
    assumed = frozenset(report.launch.assumed)
    findings = tuple(
        capped(finding, rests_on_assumed=_rests_on(accesses.get(finding.subject), assumed))
        for finding in report.findings
    )
    return replace(report, findings=findings, tables=(table, *report.tables))


def _rests_on(subject: Access | None, assumed: frozenset[str]) -> bool:
    return subject is not None and bool(assumed.intersection(subject.open_arguments))


def _rows(report: KernelReport, types: Mapping[str, Type]) -> Iterator[tuple[Scalar, ...]]:
    for name, of in types.items():
        resting = [access for access in report.accesses if name in access.open_arguments]
        if resting:
            yield _row(name, _type_name(of), _state(report.launch, name, of), resting, report.findings)
    if report.launch.grid is None and report.accesses:
        yield _row(GRID, "programs", _State.UNKNOWN, report.accesses, report.findings)


def _state(launch: Launch, name: str, of: Type) -> str:
    if name in launch.assumed:
        return f"{_State.ASSUMED}: {launch.arguments.get(name)}"
    return _State.STARTS_ALIGNED if _is_pointer(of) else _State.UNKNOWN


def _row(
    name: str, of: str, state: str, resting: Iterable[Access], findings: Iterable[Finding]
) -> tuple[Scalar, ...]:
    ids = {access.id for access in resting}
    lines = sorted({access.location.author.line for access in resting if access.location is not None})
    rules = sorted({f.rule for f in findings if f.subject in ids and f.confidence is not Confidence.EXACT})
    return name, of, state, len(ids), ", ".join(map(str, lines)), ", ".join(rules) or "none"


def _type_name(of: Type) -> str:
    match of:
        case PointerType(pointee=ScalarType(name=name)):
            return f"pointer to {name}"
        case ScalarType(name=name):
            return name
        case DescriptorType():
            return "tensor descriptor"
        case _:
            return "other"


def _is_pointer(of: Type) -> bool:
    return isinstance(of, PointerType)
