"""A proposal as edits of the files that it concerns."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import libcst as cst

from gluon_inspect.errors import InspectError
from gluon_inspect.fixing.conversion import converted
from gluon_inspect.fixing.derived import derived_anew
from gluon_inspect.fixing.edits import Edit, Edits, Refused, joined
from gluon_inspect.fixing.inside import made_anew
from gluon_inspect.fixing.launches import NUM_WARPS, Wanted, passed_anew
from gluon_inspect.fixing.pairs import joined_pairs
from gluon_inspect.fixing.parsed import Parsed
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.access import Direction
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.model.report import KernelReport
from gluon_inspect.targets import find
from gluon_inspect.wording.places import short_path

_TWO_SIDES = 2


class Sources:
    """Files by path, each parsed once. `stale`: those that are not as they were recorded."""

    def __init__(self, texts: Mapping[str, str], stale: Collection[str] = ()) -> None:
        self.texts = texts
        self._stale = stale
        self._parsed: dict[str, Parsed] = {}

    def parsed(self, file: str) -> Parsed:
        """One file; Refused where it is not at hand or cannot be read."""
        if file in self._stale:
            raise Refused(f"{short_path(file)} has changed since it was recorded", hint="run it again")
        if file not in self.texts:
            raise Refused(f"the source of {short_path(file) or 'the kernel'} is not at hand")
        if file not in self._parsed:
            self._parsed[file] = Parsed(file, self.texts[file])
        return self._parsed[file]

    def readable(self) -> list[Parsed]:
        """Every file that can be read as Python."""
        found: list[Parsed] = []
        for file in self.texts:
            try:
                found.append(self.parsed(file))
            except Refused:
                continue
        return found


def edits_for(proposal: Proposal, report: KernelReport, sources: Sources) -> Edits:
    """The edits that make a proposal true. Raises Refused, with the reason, where that cannot be done safely."""
    parsed = sources.parsed(report.kernel.source_file)
    definition = _definition(parsed, report)
    if proposal.substitutions:
        return _substituted(proposal, report, sources, definition)
    if proposal.pairs:
        by_id = {access.id: access for access in report.accesses}
        pairs = [(by_id[first], by_id[second]) for first, second in proposal.pairs]
        return {parsed.file: joined_pairs(parsed, definition, pairs)}
    if len(proposal.layouts) == _TWO_SIDES:
        return _converted(proposal, report, parsed, definition)
    if proposal.layouts and proposal.replaces:
        known = dict(report.kernel.constexprs) | {NUM_WARPS: str(report.num_warps)}
        return made_anew(parsed, definition, proposal.replaces, proposal.layouts[0], known)
    raise Refused(f"what is proposed for {report.name} is not a change that can be made automatically")


def strided_edits(proposal: Proposal, report: KernelReport, sources: Sources) -> Edits:
    """The edits that derive a proposal's layout from strides instead. Raises Refused where that cannot be done."""
    strides = proposal.from_strides
    if strides is None or len(proposal.substitutions) != 1:
        raise Refused(f"the layout of {report.name} is not one that strides tell")
    definition = _definition(sources.parsed(report.kernel.source_file), report)
    ((parameter, new),) = proposal.substitutions.items()
    wanted = Wanted(report.name, parameter, report.kernel.constexprs[parameter], new)
    lanes = find(report.kernel.target).warp_size
    return derived_anew(sources.readable(), definition, wanted, strides, report.num_warps or 4, lanes)


def _definition(parsed: Parsed, report: KernelReport) -> cst.FunctionDef:
    """The kernel's function; of several with its name the one at its line."""
    named = [each for each in parsed.functions if each.name.value == report.name]
    line = report.kernel.source_line
    at = [each for each in named if _first_line(parsed, each) <= line <= parsed.last_line(each)]
    found = at or (named if len(named) == 1 else [])
    if not found:
        raise Refused(f"{short_path(parsed.file)} has no function {report.name}")
    return found[-1]


def _first_line(parsed: Parsed, definition: cst.FunctionDef) -> int:
    return min([parsed.line(definition), *(parsed.line(each) for each in definition.decorators)])


def _substituted(proposal: Proposal, report: KernelReport, sources: Sources, definition: cst.FunctionDef) -> Edits:
    given = {NUM_WARPS: str(report.num_warps), **report.kernel.constexprs}
    files, made = sources.readable(), dict[str, tuple[Edit, ...]]()
    for parameter, new in proposal.substitutions.items():
        if parameter in report.kernel.configuration:
            raise Refused(
                f"{parameter} of {report.name} is chosen by its tuner",
                hint="change the configurations that it tries",
            )
        wanted = Wanted(report.name, parameter, given[parameter], new, proposal.changes_grid)
        both = joined(made, passed_anew(files, definition, wanted))
        if both is None:
            raise Refused(f"two values of {report.name} come from one place")
        made = dict(both)
    return made


def _converted(proposal: Proposal, report: KernelReport, parsed: Parsed, definition: cst.FunctionDef) -> Edits:
    parameter = constexpr_of(report, proposal.replaces)
    if parameter is None:
        raise Refused(f"{proposal.replaces} is no constexpr of {report.name}")
    stores = [
        access.location
        for access in report.accesses
        if access.direction is Direction.STORE and access.layout == proposal.replaces
    ]
    if len(stores) != 1 or stores[0] is None or stores[0].file != report.kernel.source_file:
        raise Refused(f"{report.name} has no one store in {proposal.replaces}")
    return {parsed.file: converted(parsed, definition, stores[0].line, parameter, proposal.layouts)}


def constexpr_of(report: KernelReport, layout: str) -> str | None:
    """The kernel's parameter that holds a layout."""
    wanted = read_layout(layout)
    for name, text in report.kernel.constexprs.items():
        try:
            if read_layout(text) == wanted:
                return name
        except InspectError:
            continue
    return None
