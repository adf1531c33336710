"""Above a kernel: what its launches are expected to take; above one that nothing is known of: an offer to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol.types import CodeLens, Command, Position, Range

from gluon_inspect.loading.defined import kernel_lines
from gluon_inspect.lsp.seen import Seen, seconds
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import plural
from gluon_inspect.wording.times import time_with_band
from gluon_inspect.wording.verdict import tally

INSPECT, EXPLAIN, FIX = "gluon-inspect.inspect", "gluon-inspect.explain", "gluon-inspect.fix"
"""What clients send back: a file's URI; a file and a kernel; a script, a kernel's and a proposal's number."""


def lenses(seen: Sequence[Seen], file: str, uri: str, text: str) -> list[CodeLens]:
    """A lens for each kernel and target that was inspected; where none was, one that inspects the file."""
    places = kernel_lines(text)
    known = [kernel for each in seen for _, kernel in each.kernels(file)]
    found: list[CodeLens] = []
    for name, line in places.items():
        own = [kernel for kernel in known if kernel.name == name]
        found += [_lens(line, title, EXPLAIN, [uri, name]) for title in _titles(own)]
    if places and not known:
        found.append(_lens(min(places.values()), "inspect this file: run it without a GPU", INSPECT, [uri]))
    return found


def _lens(line: int, title: str, command: str, arguments: list[object]) -> CodeLens:
    place = Range(Position(line, 0), Position(line, 0))
    return CodeLens(place, Command(title, command, arguments=arguments))


def _titles(kernels: Sequence[KernelReport]) -> Iterator[str]:
    for target in dict.fromkeys(kernel.kernel.target for kernel in kernels):
        own = [kernel for kernel in kernels if kernel.kernel.target == target]
        yield f"{target}: {'; '.join(_facts(own))}"


def _facts(kernels: Sequence[KernelReport]) -> Iterator[str]:
    """Of one target: the launch that takes longest, and what was found in any."""
    worst = max(kernels, key=seconds)
    if worst.kernel.error:
        yield "does not compile"
    elif worst.cost is None:
        yield "expected time unknown"
    else:
        yield f"{time_with_band(worst.cost)}, limited by {visible(worst.cost.limiting.value)}"
    if len(kernels) > 1:
        yield f"the longest of {plural(len(kernels), 'launch')}"
    distinct = {(each.rule, each.location): each for kernel in kernels for each in kernel.findings}
    yield tally(distinct.values()) or "no findings"
