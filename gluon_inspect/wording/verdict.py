"""The one sentence that stands first: what is wrong with a kernel, or what was proven right."""

from collections.abc import Iterable
from dataclasses import dataclass

from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.numbers import percent, plural

_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`level` is "error", "warning", "note", "clean" or "unknown"; `text` says why."""

    level: str
    text: str


def verdict(kernel: KernelReport) -> Verdict:
    """Findings by severity, then what the global accesses cost; never "clean" where nothing is known."""
    if kernel.kernel.error:
        return Verdict("error", "not compiled")
    if kernel.unread:
        return Verdict("error", "not read")
    cost = global_cost(kernel.accesses) if kernel.has_ir or not _standing(kernel) else without_ir(kernel)
    if kernel.findings:
        return Verdict(worst(kernel.findings), "; ".join(filter(None, (tally(kernel.findings), cost))))
    if not kernel.has_ir:
        return Verdict("unknown", without_ir(kernel))
    if any(access.confidence is Confidence.UNKNOWN for access in kernel.accesses) or kernel.problems:
        return Verdict("unknown", "; ".join(filter(None, ("no findings, but not everything is known", cost))))
    if not kernel.accesses:
        return Verdict("unknown", "no memory access was found, so nothing was judged")
    return Verdict("clean", "; ".join(filter(None, ("no findings", cost))))


def without_ir(kernel: KernelReport) -> str:
    """What stands of a kernel that came as assembly, a binary or a profile, and what can't be known."""
    standing = _standing(kernel)
    what = " and ".join(filter(None, (", ".join(standing[:-1]), *standing[-1:])))
    stands = f"{what} {'stand' if what else 'nothing stands'}".strip()
    return f"no IR: {stands}; accesses, layouts, bytes moved and time cannot be known"


def _standing(kernel: KernelReport) -> list[str]:
    known = {
        "instruction counts": bool(kernel.instructions_static),
        "registers": kernel.registers.per_thread is not None,
        "measured counters": kernel.measurement is not None and bool(kernel.measurement.counters),
    }
    return [name for name, stands in known.items() if stands]


def worst(findings: Iterable[Finding]) -> str:
    """The highest severity among some findings (at least one)."""
    present = {finding.severity for finding in findings}
    return next(severity.value for severity in _WORST_FIRST if severity in present)


def tally(findings: Iterable[Finding]) -> str:
    """ "2 errors, 1 warning"; severities without findings are left out."""
    severities = [finding.severity for finding in findings]
    counts = ((severity, severities.count(severity)) for severity in _WORST_FIRST)
    return ", ".join(plural(number, severity.value) for severity, number in counts if number)


def global_cost(accesses: Iterable[Access]) -> str:
    """What share of the sectors moved was needed, over the global accesses whose sectors are known."""
    touching = [access for access in accesses if access.space is Space.GLOBAL]
    if not touching:
        return ""
    known = [access for access in touching if access.sectors is not None and access.sectors_ideal is not None]
    moved = sum(access.sectors or 0 for access in known)
    needed = sum(access.sectors_ideal or 0 for access in known)
    unknown = len(touching) - len(known)
    rest = f" ({unknown} of {len(touching)} accesses unknown)" if unknown else ""
    if not moved:
        return "global traffic unknown" if unknown else "no global traffic"
    return f"{percent(needed / moved)} of the global sectors moved were needed{rest}"


def needed_share(accesses: Iterable[Access]) -> float | None:
    """The share of the global sectors moved that was needed, where known; None without known traffic."""
    known = [
        (access.sectors, access.sectors_ideal)
        for access in accesses
        if access.space is Space.GLOBAL and access.sectors is not None and access.sectors_ideal is not None
    ]
    moved = sum(sectors for sectors, _ in known)
    return sum(ideal for _, ideal in known) / moved if moved else None
