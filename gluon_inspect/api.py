"""What programs, tests and notebooks call (docs/python.md); each function loads what it needs when called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gluon_inspect import targets
from gluon_inspect.errors import InspectError
from gluon_inspect.model.access import Access, Conversion, Direction, Space
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.finding import Finding, Metric, Rule, Severity, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.target import Target

if TYPE_CHECKING:
    from gluon_inspect.layouts.comparison import Comparison
    from gluon_inspect.layouts.linear import LinearLayout
    from gluon_inspect.workflow.inspected import Inspected

__all__ = [
    "Access",
    "Capture",
    "CompiledKernel",
    "Confidence",
    "Conversion",
    "Direction",
    "Explained",
    "Finding",
    "InspectError",
    "KernelReport",
    "Launch",
    "Location",
    "Metric",
    "ModelStatus",
    "Module",
    "Operation",
    "Proposal",
    "Report",
    "Rule",
    "Severity",
    "Space",
    "Table",
    "Target",
    "compare_layouts",
    "early_config_prune",
    "explain",
    "inspect",
    "linear_layout",
    "load",
    "parse_mlir",
    "perf_model",
    "record",
    "rules",
    "targets",
]

Value = int | float | bool
Grid = tuple[int, int, int]


def inspect(
    subject: str | Path | Capture,
    target: str | None = None,
    *,
    kernel: str | None = None,
    arguments: Mapping[str, Value] | None = None,
    grid: Grid | None = None,
    asm: str | None = None,
    programs: int | None = None,
    assumed: Mapping[str, Value] | None = None,
    argument_file: str | Path | None = None,
) -> Inspected:
    """The report on a script, a file, a cache folder or a capture.

    `target` such as "cuda:90" (the default for scripts); `kernel` a name or pattern; `arguments` by
    parameter name, pointers as byte addresses, those of `argument_file` (JSON or TOML) where they are not
    given; `assumed` the same for values to try; `grid` in programs; `programs` how many to evaluate
    (None: as many as is cheap, 0: all). Raises InspectError for bad input.
    """
    from gluon_inspect.loading import completed
    from gluon_inspect.model.request import Request, silent
    from gluon_inspect.workflow.argument_values import merged_values
    from gluon_inspect.workflow.inspected import Inspected
    from gluon_inspect.workflow.inspection import inspect_all
    from gluon_inspect.workflow.steps import report_of

    targets = (target,) if target else ()
    patterns = (kernel,) if kernel else ()
    paths = () if isinstance(subject, Capture) else (str(subject),)
    values = merged_values(argument_file, arguments or {}, assumed or {})
    request = Request(paths, targets, patterns, values, grid, asm, programs, assumed=tuple(assumed or ()))
    if isinstance(subject, Capture):
        whole = completed(subject, asm=asm, args=values, grid=grid, assumed=request.assumed)
        return Inspected.of(report_of(whole, request, silent))
    return Inspected.of(inspect_all(request).report())


def record(
    script: str | Path,
    target: str = "cuda:90",
    *,
    argv: Sequence[str] = (),
    kernel: str | None = None,
    module: bool = False,
    timeout_seconds: float | None = None,
    all_configs: bool = False,
    only_launches: int | None = None,
    assumed: Mapping[str, int | float | bool] | None = None,
) -> Capture:
    """Runs a script, a notebook or (with `module`) a module in a child process without a GPU.

    "file.py::name" runs one function or test of it; `kernel` keeps the kernels of one name; `all_configs` launches
    every configuration of autotuned kernels; `only_launches` ends the script after so many; `assumed` says what
    it reads at a place ("file.py:12") where a kernel would have computed it. A script that raised gives what came
    before, with `error` set.
    Raises CaptureError if nothing was recorded, UsageError for an unknown target.
    """
    from gluon_inspect.recording.record import record

    return record(
        str(script),
        target,
        argv=argv,
        kernel=kernel,
        module=module,
        timeout_seconds=timeout_seconds,
        all_configs=all_configs,
        only_launches=only_launches,
        assumed=assumed or {},
    )


def load(
    path: str | Path,
    *,
    asm: str | Path | None = None,
    arguments: Mapping[str, Value] | None = None,
    grid: Grid | None = None,
    target: str = "",
    assumed: Collection[str] = (),
) -> Capture:
    """Reads IR, a dump log, assembly, a binary, a Triton cache folder or a capture file (.gi).

    `arguments` and `grid` make the launch; `assumed` names arguments whose values are only assumed; `target` is
    for files that name none. Raises CaptureError or ParseError for what cannot be read.
    """
    from gluon_inspect.loading import load

    return load(path, asm=asm, args=arguments, grid=grid, target=target, assumed=assumed)


class Explained(KernelExplanation):
    """A KernelExplanation that can be read: `markdown()`, and shown as such by notebooks."""

    __slots__ = ()

    def markdown(self, sources: Mapping[str, str] | None = None) -> str:
        """The whole explanation; `sources` (of the report) are the files whose lines it shows."""
        from gluon_inspect.explaining.text import as_markdown

        return as_markdown(self, sources or {})

    def _repr_markdown_(self) -> str:
        return self.markdown()


def explain(kernel: KernelReport, *, finding: str | None = None, line: int | None = None) -> Explained:
    """Why a kernel of a report is slow, what to write instead and what that would buy.

    `finding` (an id, a rule's code or name) and `line` choose what is explained; nothing else is then.
    """
    from gluon_inspect.explaining.explanation import explain

    found = explain(kernel, finding=finding, line=line)
    return Explained(**{each.name: getattr(found, each.name) for each in fields(found)})


def linear_layout(layout: object, shape: Sequence[int]) -> LinearLayout:
    """The linear layout of a tensor of `shape` (elements), as Triton's `to_linear_layout` gives it.

    `layout`: the attribute as the compiler prints it (aliases expanded), Gluon's syntax, or a Gluon layout object.
    Raises InspectError where it cannot be read or has no linear layout at this shape.
    """
    from gluon_inspect.layouts.lookup import encoding_of
    from gluon_inspect.layouts.lowering import linear_layout

    return linear_layout(encoding_of(layout), tuple(map(int, shape)))


def compare_layouts(one: object, other: object, shape: Sequence[int]) -> Comparison:
    """Whether two layouts put the same elements in the same places, and what a conversion between them needs.

    Layouts as for `linear_layout`. Raises LayoutError where one has no layout at this shape, or one is in
    registers and the other in memory.
    """
    from gluon_inspect.layouts.comparison import compare
    from gluon_inspect.layouts.lookup import encoding_of

    return compare(encoding_of(one), encoding_of(other), tuple(map(int, shape)))


def parse_mlir(text: str, name: str = "<text>") -> Module:
    """A module of tt, ttg, ttng, amdg or gluon IR; `walk()` yields every operation, nested ones included.

    Raises ParseError with a position for text that is no MLIR. Unknown operations are kept as they stand.
    """
    from gluon_inspect.ir.text import parse_mlir

    return parse_mlir(text, name)


def early_config_prune(keep: int = 5) -> Callable[..., list[Any]]:
    """For `@triton.autotune(…, prune_configs_by={"early_config_prune": early_config_prune(keep=5)})`.

    The tuner then times the `keep` configurations that are expected to be fastest, and those whose time cannot be
    told. All are compiled, as they would be; on a card that is not known all are timed. UsageError for no `keep`.
    """
    from gluon_inspect.tune.pruning import early_config_prune

    return early_config_prune(keep)


def perf_model(**values: Any) -> float:
    """For `@triton.autotune(…, prune_configs_by={"perf_model": perf_model, "top_k": 5})`: expected seconds.

    0 where they are not known: such a configuration is among the first.
    """
    from gluon_inspect.tune.pruning import perf_model

    return perf_model(**values)


def rules() -> tuple[Rule, ...]:
    """Every rule by code, with its texts and examples."""
    from gluon_inspect.project.gate import known_rules

    return known_rules()
