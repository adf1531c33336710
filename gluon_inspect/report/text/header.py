"""What was launched, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from gluon_inspect.model.artifact import DescriptorArgument, TensorArgument
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.text.grid import hanging
from gluon_inspect.report.text.palette import DIM, LEVEL, TITLE
from gluon_inspect.wording.arguments import argument
from gluon_inspect.wording.characters import shortened, visible
from gluon_inspect.wording.layouts import short_layout
from gluon_inspect.wording.numbers import plural
from gluon_inspect.wording.places import short_path
from gluon_inspect.wording.times import time_with_band
from gluon_inspect.wording.verdict import global_cost, needed_share, verdict

_NAME_CHARACTERS = 60
_CONSTANT_CHARACTERS = 100
_ARGUMENTS_CHARACTERS = 600
_NEARLY_ALL = 0.95
_FEW_ARGUMENTS_CHARACTERS = 180


def header(kernel: KernelReport, *, details: bool) -> Iterator[RenderableType]:
    """Name and launch, arguments (two lines of them unless `details`), then the time and the verdict."""
    name = Text.assemble(("━━ ", DIM), (visible(kernel.name, _NAME_CHARACTERS), TITLE), "  ")
    has_place = details or all(finding.location is None for finding in kernel.findings)
    yield hanging(name, Text("  ".join(_launch(kernel, has_place)), DIM))
    arguments = ", ".join(
        (*_arguments(kernel, tensors=True), *_constants(kernel), *_arguments(kernel, tensors=False))
    )
    if arguments:
        most = _ARGUMENTS_CHARACTERS if details else _FEW_ARGUMENTS_CHARACTERS
        yield hanging(Text("   "), Text(shortened(arguments, most), DIM))
    if kernel.made_from:
        yield hanging(Text("   "), Text(f"made from {visible(kernel.made_from, _ARGUMENTS_CHARACTERS)}", DIM))
    judged = verdict(kernel)
    told = judged.text if details or kernel.cost is None else _worth_saying(kernel)
    yield hanging(
        Text(f"   {judged.level}: ", LEVEL[judged.level]), Text("; ".join(filter(None, (_time(kernel), told))))
    )


def _time(kernel: KernelReport) -> str:
    cost = kernel.cost
    return "" if cost is None else f"{time_with_band(cost)} expected, by {cost.limiting.value}"


def _worth_saying(kernel: KernelReport) -> str:
    """What share of the global traffic is needed, where it is not nearly all."""
    share = needed_share(kernel.accesses)
    return global_cost(kernel.accesses) if share is None or share < _NEARLY_ALL else ""


def _arguments(kernel: KernelReport, *, tensors: bool) -> Iterator[str]:
    for name, value in kernel.launch.arguments.items():
        if tensors == isinstance(value, TensorArgument | DescriptorArgument):
            yield f"{visible(name, _NAME_CHARACTERS)}={argument(value)}"


def _constants(kernel: KernelReport) -> Iterator[str]:
    for name, value in kernel.kernel.constexprs.items():
        yield f"{visible(name, _NAME_CHARACTERS)}={visible(short_layout(value), _CONSTANT_CHARACTERS)}"


def _launch(kernel: KernelReport, has_place: bool) -> Iterator[str]:
    compiled, launch = kernel.kernel, kernel.launch
    yield visible(compiled.target, _NAME_CHARACTERS)
    yield "grid " + "x".join(str(axis) for axis in launch.grid) if launch.grid else "grid unknown"
    if kernel.num_warps is not None:
        yield plural(kernel.num_warps, "warp")
    if kernel.num_ctas is not None and kernel.num_ctas > 1:
        yield plural(kernel.num_ctas, "CTA")
    yield plural(launch.count, "launch")
    yield from _programs(kernel)
    if compiled.source_file and has_place:
        yield f"{visible(short_path(compiled.source_file))}:{compiled.source_line}"


def _programs(kernel: KernelReport) -> Iterator[str]:
    evaluated, total = kernel.programs.evaluated, kernel.programs.total
    if evaluated is not None and evaluated != total:
        of = f" of {total:,}" if total is not None else ""
        yield f"counted from {evaluated:,}{of} programs"
