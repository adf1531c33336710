"""The target's own words: what analyses say in NVIDIA's terms is told in AMD's for AMD kernels.

One table, applied once to everything that analyses say, so that no rule has to know it. Names that code or
options bear (`num_warps`, `warps_per_cta`, anything in backticks) stay as they are. Terms: AMD's glossaries (ROCm
documentation, "GPU hardware and programming terms"; Shark AI's kernel guide), in which a wavefront is a wave: what
NVIDIA calls a wavefront of shared memory is an LDS cycle there.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from gluon_inspect.model.finding import AnalysisResult, Finding, Metric, Table
from gluon_inspect.model.target import Target

_AMD: tuple[tuple[str, str], ...] = (
    (r"(?:bank )?conflict-free wavefronts?", "conflict-free LDS cycles"),
    (r"wavefronts", "LDS cycles"),
    (r"wavefront", "LDS cycle"),
    (r"warp groups?", "waves"),
    (r"warps", "waves"),
    (r"Warps", "Waves"),
    (r"warp", "wave"),
    (r"Warp", "Wave"),
    (r"CTAs", "workgroups"),
    (r"CTA", "workgroup"),
    (r"an SM", "a {unit}"),
    (r"SMs", "{unit}s"),
    (r"SM", "{unit}"),
    (r"[Ss]hared memory", "LDS"),
    (r"local memory", "scratch"),
    (r"stack", "scratch"),
)
_QUOTED = re.compile(r"(`[^`]*`)")
_UNITS = {"RDNA": "WGP", "CDNA": "CU"}


def told(result: AnalysisResult, target: Target) -> AnalysisResult:
    """What an analysis says, in the words of the target's maker; evidence, ids and cells of tables stay."""
    if target.backend != "hip":
        return result
    return AnalysisResult(
        findings=tuple(_finding(each, target) for each in result.findings),
        tables=tuple(_table(each, target) for each in result.tables),
        metrics=tuple(_metric(each, target) for each in result.metrics),
    )


def _finding(finding: Finding, target: Target) -> Finding:
    return replace(finding, message=spoken(finding.message, target), help=spoken(finding.help, target))


def _table(table: Table, target: Target) -> Table:
    columns = tuple(replace(each, title=spoken(each.title, target)) for each in table.columns)
    return replace(table, title=spoken(table.title, target), columns=columns, note=spoken(table.note, target))


def _metric(metric: Metric, target: Target) -> Metric:
    value = spoken(metric.value, target) if isinstance(metric.value, str) else metric.value
    return replace(metric, title=spoken(metric.title, target), value=value)


def spoken(text: str, target: Target) -> str:
    """A text in the words of the target's maker."""
    if target.backend != "hip" or not text:
        return text
    return _spoken(text, _UNITS.get(target.architecture.split()[0], "CU"))


@lru_cache(maxsize=4096)
def _spoken(text: str, unit: str) -> str:
    parts = _QUOTED.split(text)
    return "".join(part if part.startswith("`") else _replaced(part, unit) for part in parts)


def _replaced(text: str, unit: str) -> str:
    return _WORDS.sub(lambda found: _word(found[0]).format(unit=unit), text)


_WORDS = re.compile(rf"(?<![\w.])(?:{'|'.join(pattern for pattern, _ in _AMD)})(?![\w])")


@lru_cache(maxsize=64)
def _word(found: str) -> str:
    return next(word for pattern, word in _AMD if re.fullmatch(pattern, found))
