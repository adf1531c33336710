"""A profiler's file as input: the kernels it saw, with their binaries where it holds them, and their counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gluon_inspect import targets
from gluon_inspect.errors import InspectError, ParseError, Position
from gluon_inspect.measure.counters import read_counters
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.measured import ProfiledLaunch

_WARP_LANES = 32


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profiler's file gives: kernels as far as it knows them, and the first of each sort of launch."""

    capture: Capture
    launches: tuple[ProfiledLaunch, ...]


def read_profile(path: str, target: str = "") -> Profile:
    """The kernels and launches of a profiler's file; `target` where it names none.

    Launches of one binary with one grid are one, counted. Raises ParseError or CaptureError for a file that
    cannot be read or holds no launch.
    """
    launches = read_counters(Path(path))
    if not launches:
        raise ParseError("the profiler saw no kernel", position=Position(path), hint="profile it again")
    counts: dict[object, int] = {}
    first: dict[object, ProfiledLaunch] = {}
    for each in launches:
        key = (each.name, each.grid, each.threads, each.shared_bytes, each.binary)
        first.setdefault(key, each)
        counts[key] = counts.get(key, 0) + 1
    kernels = tuple(_kernel(each, counts[key], target) for key, each in first.items())
    return Profile(Capture(path, kernels, notes=_notes(path, len(launches), len(first))), tuple(first.values()))


def _notes(path: str, seen: int, distinct: int) -> tuple[str, ...]:
    if seen == distinct:
        return ()
    return (f"{path}: {seen} launches, {distinct} of them different; counters are those of the first of each",)


def _kernel(launch: ProfiledLaunch, count: int, target: str) -> CompiledKernel:
    return CompiledKernel(
        launch.name,
        launch.target or target,
        binaries={"cubin": launch.binary} if launch.binary else {},
        metadata=_metadata(launch, launch.target or target),
        launches=(Launch("launch0", count, launch.grid),),
    )


def _metadata(launch: ProfiledLaunch, target: str) -> Mapping[str, int]:
    registers = launch.counters.get("registers_per_thread")
    known = {
        "num_warps": launch.threads and -(-launch.threads // _lanes(target)),
        "shared": launch.shared_bytes,
        "n_regs": None if registers is None else int(registers),
    }
    return {name: value for name, value in known.items() if value is not None}


def _lanes(target: str) -> int:
    """Lanes a warp, NVIDIA's where the target is not known (the report then says that it is not)."""
    try:
        return targets.find(target).warp_size
    except InspectError:
        return _WARP_LANES
