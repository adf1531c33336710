"""Changed inputs of every kind through parsers, pipeline and formats: none may end in a traceback, hang or flood.

    .venv/bin/python scripts/fuzz.py [--tries N] [--seed N] [--kind NAME] [--commands N] [--jobs N] [--keep FOLDER]

The same seed gives the same inputs. A try may take 10 s of processor time and 1 GiB more than the tool itself;
`--keep` stores one input for each distinct failure. Exit code 1 if there was any.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import random
import re
import resource
import signal
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from gluon_inspect.bulkheads import Fault, FaultError, contained
from gluon_inspect.cli import main as command_line
from gluon_inspect.errors import InspectError
from gluon_inspect.loading import load
from gluon_inspect.loading.parameters import parameters
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.project.configuration import Configuration, load_configuration
from gluon_inspect.project.judgement import judged
from gluon_inspect.report import format_names, load_format
from gluon_inspect.workflow.inspection import inspect_all

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
SECONDS, BYTES = 10, 1 << 30
NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "33",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9" * 20,
    "9" * 400,
)
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**31, 2**63, 10**30, 1e308, "", "x", "\x1b[31m", "9" * 5000,
    [], {}, [[]], [None], {"": 0},
)  # fmt: skip
TOKEN = re.compile(r"[\w$.]+|[^\w\s]|\s+")
NUMBER = re.compile(r"-?\d+")
SCALAR = re.compile(r"\b(?:i\d+|f\d+|bf16|index)\b")
SCALARS = ("i0", "i1", "i3", "i8", "i32", "i64", "i128", "i99999999999", "f16", "f32", "f64", "index", "f99")
COMMANDS = (
    ["report", "--format", "json"], ["report", "--brief"], ["report", "--jobs", "2"],
    ["explain"], ["passes"], ["diff"],
)  # fmt: skip


class Hang(BaseException):
    """A try took longer than it may."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of input: seeds that are valid, how they are changed, and how the tool takes one."""

    suffix: str
    seeds: Callable[[], Sequence[bytes]]
    change: Callable[[random.Random, bytes], bytes]
    use: Callable[[Path], None]


def text_changed(pick: random.Random, content: bytes) -> bytes:
    """One to three changes to tokens, numbers, types or lines; now and then the end is cut off."""
    text = content.decode("utf-8", "replace")
    for _ in range(pick.randint(1, 3)):
        text = pick.choice((_number, _number, _scalar, _token, _token, _line, _cut, _character))(pick, text)
    return text.encode("utf-8", "replace")


def _number(pick: random.Random, text: str) -> str:
    return _replaced(pick, text, NUMBER, NUMBERS)


def _scalar(pick: random.Random, text: str) -> str:
    return _replaced(pick, text, SCALAR, SCALARS)


def _replaced(pick: random.Random, text: str, pattern: re.Pattern[str], by: Sequence[str]) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    one = pick.choice(found)
    return text[: one.start()] + pick.choice(by) + text[one.end() :]


def _token(pick: random.Random, text: str) -> str:
    tokens = TOKEN.findall(text)
    if not tokens:
        return text
    at, other = pick.randrange(len(tokens)), pick.randrange(len(tokens))
    match pick.randrange(4):
        case 0:
            tokens[at] = ""
        case 1:
            tokens[at] *= 2
        case 2:
            tokens[at] = tokens[other]
        case _:
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def _line(pick: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = pick.randrange(len(lines)), pick.randrange(len(lines))
    match pick.randrange(3):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case _:
            lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines)


def _cut(pick: random.Random, text: str) -> str:
    return text if pick.random() < 0.7 else text[: pick.randrange(len(text) + 1)]


def _character(pick: random.Random, text: str) -> str:
    at = pick.randrange(len(text) + 1)
    return text[:at] + pick.choice("\0\x1b\u202e\ud800{}[]()<>\"'#%@:,=-\n\tA\uffff") + text[at:]


def bytes_changed(pick: random.Random, content: bytes) -> bytes:
    """Bytes flipped, taken out, repeated, or replaced by extreme numbers; now and then the end is cut off."""
    data = bytearray(content)
    for _ in range(pick.randint(1, 4)):
        at, length = pick.randrange(len(data) or 1), pick.choice((1, 2, 4, 8))
        match pick.randrange(6):
            case 0:
                data[at : at + 1] = bytes([pick.randrange(256)])
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length * 8]
            case 3:
                data[at : at + length] = pick.choice((0, 1, 2**31, 2**63, 2**64 - 1)).to_bytes(8, "little")[
                    :length
                ]
            case 4 if pick.random() < 0.3:
                del data[at:]
            case _:
                data[at : at + length] = pick.randbytes(length)
    return bytes(data)


def json_changed(pick: random.Random, content: bytes) -> bytes:
    """One to three values replaced, taken out or nested deeply; now and then the text itself is changed."""
    if pick.random() < 0.2:
        return text_changed(pick, content)
    document = json.loads(content)
    for _ in range(pick.randint(1, 3)):
        places = list(_places(document))
        if not places:
            break
        owner, key = pick.choice(places)
        match pick.randrange(8):
            case 0:
                del owner[key]
            case 1:
                depth = pick.choice((50, 100_000))
                return json.dumps(document).encode().replace(b"null", b"[" * depth + b"]" * depth, 1)
            case 2:
                owner[key] = [owner[key]] * 2
            case _:
                owner[key] = deepcopy(pick.choice(VALUES))
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside, by what holds it and its key."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        keys: Any = one if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            yield one, key
            waiting.append(one[key])


def lines_changed(pick: random.Random, content: bytes) -> bytes:
    """JSON lines: one of them changed."""
    lines = content.splitlines()
    at = pick.randrange(len(lines))
    lines[at] = json_changed(pick, lines[at])
    return b"\n".join(lines)


def index_changed(pick: random.Random, content: bytes) -> bytes:
    """A capture whose members stay and whose index is changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["index.json"] = json_changed(pick, members["index.json"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return packed.getvalue()


def inspected(path: Path) -> None:
    """The whole way: loaded with an argument for each parameter, analysed, written in every format."""
    request = Request((str(path),), ("cuda:90",), grid=_grid(path), arguments=_arguments(path), disassemblers=0)
    outcome = inspect_all(request)
    for failure in outcome.failures:
        if isinstance(failure, FaultError):
            raise Failed(failure.fault)
    report = outcome.report()
    for kernel in report.kernels:
        for fault in kernel.faults:
            raise Failed(fault)
    written(report)
    if report.kernels and all(kernel.unread for kernel in report.kernels):
        raise InspectError(report.kernels[0].unread)


class Failed(Exception):
    """A fault that a bulkhead held."""


def written(report: Report) -> None:
    """The report in every format."""
    for name in format_names():
        load_format(name).render(report)


def _text_of(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.suffix == ".ttgir" else ""


def _grid(path: Path) -> tuple[int, int, int] | None:
    return (8, 2, 1) if path.suffix == ".ttgir" else None


def _arguments(path: Path) -> dict[str, int | float | bool]:
    return {one.name: 1 << 20 if "ptr" in str(one) else 4096 for one in parameters(_text_of(path))}


def in_cache_folder(path: Path) -> None:
    """The metadata of a cache entry beside a kernel's IR."""
    folder = path.parent / "entry"
    folder.mkdir(exist_ok=True)
    (folder / "copy_1d.json").write_bytes(path.read_bytes())
    (folder / "copy_1d.ttgir").write_bytes(ir_seeds()[0])
    inspected(folder)


def as_configuration(path: Path) -> None:
    """The settings of a project, applied to a report."""
    own = path.parent / "gluon-inspect.toml"
    own.write_bytes(path.read_bytes())
    written(judged(good_report(), load_configuration(path.parent), None))


def as_baseline(path: Path) -> None:
    """A baseline that a report is compared with."""
    written(judged(good_report(), Configuration(), str(path)))


@cache
def captures() -> tuple[bytes, ...]:
    """Two recordings with binaries."""
    return tuple(path.read_bytes() for path in sorted((DATA / "hostile").glob("*.gi")))


def _kernels() -> Iterator[Any]:
    for path in sorted((DATA / "hostile").glob("*.gi")):
        yield from load(path).kernels


def ir_seeds() -> list[bytes]:
    """TTGIR of small kernels."""
    stages = [kernel.stages["ttgir"].encode() for kernel in _kernels()]
    return stages + [path.read_bytes() for path in sorted((DATA / "shared").glob("*.ttgir"))]


def files(pattern: str) -> list[bytes]:
    """The tests' own files."""
    return [path.read_bytes() for path in sorted(DATA.glob(pattern))]


def binaries(kind: str) -> list[bytes]:
    """The recordings' binaries of a kind."""
    return [kernel.binaries[kind] for kernel in _kernels() if kind in kernel.binaries]


def log_seeds() -> list[bytes]:
    """Dump logs of small kernels."""
    return [gzip.decompress(one) for one in files("passes/*coalesced*.log.gz")]


def profile_seeds() -> list[bytes]:
    """A profiler's file with one binary and one launch."""
    sys.path.insert(0, str(ROOT))
    from tests.measure import nsight_file as made

    source, launch = (
        made.source(1, binaries("cubin")[0]),
        made.launch("copy_1d", (4, 1, 1), {0: 1.5, 1: 20, 2: "x"}),
    )
    return [made.report(made.block([source], [launch], made.NAMES))]


def trace_seeds() -> list[bytes]:
    """A compilation and a launch as tritonparse writes them."""
    kernel = next(iter(_kernels()))
    argument = {
        "type": "tensor",
        "dtype": "torch.float32",
        "shape": [4096],
        "stride": [1],
        "data_ptr": "0x7f0000000000",
    }
    metadata = {"hash": "1", "name": "copy_1d", "target": {"backend": "cuda", "arch": 90}}
    source = {"file_path": "/src/copy_1d.py", "start_line": 4, "code": "def copy_1d(): ..."}
    content = {"copy_1d.ttgir": kernel.stages["ttgir"], "copy_1d.ptx": kernel.stages["ptx"]}
    payload = {"metadata": metadata, "python_source": source, "file_content": content}
    launch = {
        "event_type": "launch",
        "compilation_metadata": metadata,
        "extracted_args": {"src": argument, "dst": argument, "n": {"type": "int", "value": 4096}},
        "grid": [4],
    }
    return [
        b"\n".join(json.dumps(one).encode() for one in ({"event_type": "compilation", "payload": payload}, launch))
    ]


@cache
def good_report() -> Report:
    """The report on a recording."""
    path = next(iter(sorted((DATA / "hostile").glob("*.gi"))))
    return inspect_all(Request((str(path),), disassemblers=0)).report()


def baseline_seeds() -> list[bytes]:
    """That report as a baseline."""
    return [load_format("json").render(good_report()).encode()]


def configuration_seeds() -> list[bytes]:
    """Every setting there is."""
    budget = '[[budget]]\nkernel = "copy*"\ntarget = "cuda:90"\nregisters = 64\nsectors-per-request = 8\n'
    return [f'fail-on = "warning"\ntarget = ["cuda:90"]\nbaseline = "base.json"\n\n{budget}'.encode()]


def metadata_seeds() -> list[bytes]:
    """What Triton writes beside a kernel in its cache."""
    target = {"backend": "cuda", "arch": 90, "warp_size": 32}
    return [json.dumps({"name": "copy_1d", "target": target, "num_warps": 4, "num_ctas": 1, "shared": 0}).encode()]


SUBJECTS = {
    "ttgir": Subject(".ttgir", ir_seeds, text_changed, inspected),
    "dump log": Subject(".log", log_seeds, text_changed, inspected),
    "ptx": Subject(".ptx", partial(files, "asm/*.ptx"), text_changed, inspected),
    "sass": Subject(".sass", partial(files, "asm/*.sass"), text_changed, inspected),
    "amdgcn": Subject(".amdgcn", partial(files, "asm/*.amdgcn"), text_changed, inspected),
    "cubin": Subject(".cubin", partial(binaries, "cubin"), bytes_changed, inspected),
    "hsaco": Subject(".hsaco", partial(binaries, "hsaco"), bytes_changed, inspected),
    "ncu-rep": Subject(".ncu-rep", profile_seeds, bytes_changed, inspected),
    "capture": Subject(".gi", captures, bytes_changed, inspected),
    "capture index": Subject(".gi", captures, index_changed, inspected),
    "trace": Subject(".ndjson", trace_seeds, lines_changed, inspected),
    "cache metadata": Subject(".json", metadata_seeds, json_changed, in_cache_folder),
    "configuration": Subject(".toml", configuration_seeds, text_changed, as_configuration),
    "baseline": Subject(".json", baseline_seeds, json_changed, as_baseline),
}


def changed(kind: str, seed: int, number: int) -> bytes:
    """The input of one try."""
    pick = random.Random(f"{seed}/{kind}/{number}")
    subject = SUBJECTS[kind]
    return subject.change(pick, pick.choice(_seeds(kind)))


@cache
def _seeds(kind: str) -> Sequence[bytes]:
    return SUBJECTS[kind].seeds()


def _overran(*_: object) -> None:
    raise Hang


def attempt(kind: str, use: Callable[[Path], None], content: bytes, folder: Path) -> str:
    """How the tool took one input: "read", "refused", or what went wrong."""
    path = folder / f"input{SUBJECTS[kind].suffix}"
    path.write_bytes(content)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        found = contained("", partial(use, path))
    except FaultError as error:
        found = error.fault
    except InspectError:
        return "refused"
    except (Hang, SystemExit) as error:
        return type(error).__name__.lower()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if not isinstance(found, Fault):
        return "read"
    return "memory" if "MemoryError" in found.traceback else f"fault {_signature(found)}"


def _signature(fault: Fault) -> str:
    inner = fault.error if "Failed:" not in fault.error else fault.error.rpartition("input: ")[2]
    return f"{inner[:200]}"


def _by_command(options: Sequence[str], path: Path) -> None:
    """A command on the input, as a person runs it; its own errors are its exit code."""
    paths = [str(path)] * (2 if options[0] == "diff" else 1)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = command_line([options[0], *paths, *options[1:]])
    if code not in (0, 1, 2):
        raise Failed(f"exit code {code}: {said.getvalue()[:300]}")


def run_tries(kind: str, numbers: range, seed: int, by_command: bool, keep: str) -> Counter[str]:
    """Some tries of one kind in this process, counted by how they ended."""
    use, found = SUBJECTS[kind].use, Counter[str]()
    signal.signal(signal.SIGPROF, _overran)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        use_folder = Path(folder)
        for content in (_seeds(kind)[0], *(changed(kind, seed, number) for number in numbers)):
            if by_command and found:
                use = partial(_by_command, random.Random(content).choice(COMMANDS))
            result = attempt(kind, use, content, use_folder)
            if not found:  # the seed itself: whatever it needs is imported now
                if result != "read":
                    raise SystemExit(f"the seed of {kind} is not read: {result}")
                _limit_memory()
            found[result] += 1
            if keep and result not in ("read", "refused") and found[result] == 1:
                place = Path(keep) / f"{kind.replace(' ', '_')}-{abs(hash(result)) % 10**8}{SUBJECTS[kind].suffix}"
                place.write_bytes(content)
    return found


def _limit_memory() -> None:
    status = Path("/proc/self/status")
    if status.exists() and resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY:
        used = int(re.findall(r"VmData:\s+(\d+)", status.read_text())[0]) << 10
        resource.setrlimit(resource.RLIMIT_DATA, (used + BYTES, resource.RLIM_INFINITY))


def main() -> int:
    """Run, and print a line a kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=60, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=list(SUBJECTS))
    parser.add_argument("--commands", type=int, default=0, help="further tries of each kind by the command line")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default="", metavar="FOLDER")
    options = parser.parse_args()
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
    whole = Counter[str]()
    for kind in options.kind or SUBJECTS:
        found = _spread(kind, options)
        whole += found
        print(
            f"{kind:15} {found.total():7,} tries, {found['read']:7,} read, {found['refused']:7,} refused",
            flush=True,
        )
        for result, count in found.most_common():
            if result not in ("read", "refused"):
                print(f"    {count:5,} {result}", flush=True)
    bad = whole.total() - whole["read"] - whole["refused"]
    print(f"{whole.total():,} tries: {bad:,} tracebacks, hangs over {SECONDS} s or floods of memory")
    return 1 if bad else 0


def _spread(kind: str, options: argparse.Namespace) -> Counter[str]:
    found = Counter[str]()
    with ProcessPoolExecutor(options.jobs) as pool:
        futures = []
        for by_command, tries in ((False, options.tries), (True, options.commands)):
            if not tries or (by_command and kind in ("configuration", "baseline", "cache metadata")):
                continue
            length = -(-tries // options.jobs)
            for start in range(0, tries, length):
                numbers = range(start, min(start + length, tries))
                futures.append(pool.submit(run_tries, kind, numbers, options.seed, by_command, options.keep))
        for future in futures:
            try:
                found += future.result()
            except BrokenExecutor:
                found["a worker died"] += 1
    return found


if __name__ == "__main__":
    sys.exit(main())
