"""Trying inputs in this process, and counting how they end."""

from __future__ import annotations

import random
import re
import resource
import signal
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gluon_inspect.bulkheads import Fault, contained
from gluon_inspect.errors import InspectError
from scripts.fuzz.subjects import COMMANDS, SUBJECTS, Failed, by_command, changed, seeds_of

SECONDS, BYTES = 10, 1 << 30
"""Of processor time, and beyond what the process already has, that one try may take."""
WAITED_SECONDS = 120
"""On the clock: for what sleeps. A busy machine must not look like it."""
GOOD = ("read", "refused")


class Hang(BaseException):
    """A try took longer than it may."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some tries of one kind: the unit of work, of results and of resuming."""

    kind: str
    seed: int
    first: int
    count: int
    commands: bool = False
    """By the command line, else by the functions behind it."""


def run_chunk(chunk: Chunk, keep: str = "") -> Counter[str]:
    """The tries of a chunk, counted by how they ended; one input of each failure goes to the folder `keep`."""
    found = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        _check_seed(chunk.kind, folder)
        for number in range(chunk.first, chunk.first + chunk.count):
            content = changed(chunk.kind, chunk.seed, number)
            result = attempt(chunk.kind, _use(chunk, content), content, folder)
            found[result] += 1
            if keep and result not in GOOD and found[result] == 1:
                label = f"{chunk.kind.replace(' ', '_')}-{chunk.seed}-{number}"
                (Path(keep) / f"{label}{SUBJECTS[chunk.kind].suffix}").write_bytes(content)
    return found


def _check_seed(kind: str, folder: Path) -> None:
    """The seed itself is read; whatever it needs is imported now."""
    result = attempt(kind, SUBJECTS[kind].use, seeds_of(kind)[0], folder)
    if result != "read":
        raise RuntimeError(f"the seed of {kind} is not read: {result}")


def _use(chunk: Chunk, content: bytes) -> Callable[[Path], None]:
    if not chunk.commands:
        return SUBJECTS[chunk.kind].use
    return partial(by_command, random.Random(content).choice(COMMANDS))


def attempt(kind: str, use: Callable[[Path], None], content: bytes, folder: Path, seconds: float = SECONDS) -> str:
    """How the tool took one input: "read", "refused", or what went wrong."""
    path = folder / f"input{SUBJECTS[kind].suffix}"
    path.write_bytes(content)
    _limit(seconds)
    try:
        found = contained("", partial(use, path))
    except Failed as error:
        return _told(str(error), error.traceback)
    except InspectError:
        return "refused"
    except Hang:
        return f"hang: more than {seconds:g} s"
    except SystemExit as error:
        return f"exit {error.code}"
    finally:
        _limit(0)
    return _told(found.error, found.traceback) if isinstance(found, Fault) else "read"


def _told(error: str, traceback: str) -> str:
    return "memory" if "MemoryError" in traceback else f"fault: {error[:200]}"


def _limit(seconds: float) -> None:
    """From now on so much time, and memory beyond what caches already hold; 0: no limit of time."""
    for timer, number, most in (
        (signal.ITIMER_PROF, signal.SIGPROF, seconds),
        (signal.ITIMER_REAL, signal.SIGALRM, WAITED_SECONDS if seconds else 0),
    ):
        signal.signal(number, _overran)
        signal.setitimer(timer, most)
    status = Path("/proc/self/status")
    if status.exists():
        used = int(re.findall(r"VmData:\s+(\d+)", status.read_text())[0]) << 10
        resource.setrlimit(resource.RLIMIT_DATA, (used + BYTES, resource.RLIM_INFINITY))


def _overran(*_: object) -> None:
    raise Hang
