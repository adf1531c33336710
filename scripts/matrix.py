"""The examples under every Python and Triton that is supported: findings, sectors and wavefronts must be equal.

    PATH=…:$PATH .venv/bin/python -m scripts.matrix [--python 3.11 3.12] [--triton 3.6.0 3.9.0] [--keep]

By hand, before a release. Each Python has one environment below build/matrix, and each Triton a folder in front of
it, which goes when it was used (a gigabyte). The first Python with the last Triton is what the others are compared
with. Exit code 1 where something differs or does not run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build" / "matrix"
PYTHONS = ("3.11", "3.12", "3.13")
TRITONS = ("3.6.0", "3.7.0", "3.8.0", "3.9.0")
TARGETS = ("cuda:90", "hip:gfx942")
_COUNTS = ("requests", "sectors", "wavefronts")
Answer = Mapping[str, Any]


def main() -> int:
    """A line for each pair, and what differs."""
    options = _options()
    pairs = [(python, triton) for python in options.python for triton in reversed(options.triton)]
    first: Answer | None = None
    wrong = 0
    for python, triton in pairs:
        found = answer(python, triton, keep=options.keep)
        first = found if first is None else first
        different = [] if found is None or first is None else list(differences(first, found))
        told = "did not run" if found is None else f"{len(found)} kernels, {len(different)} differ"
        print(f"Python {python}, Triton {triton}: {told}", flush=True)
        print(*(f"    {line}" for line in different), sep="\n", end="\n" if different else "", flush=True)
        wrong += found is None or bool(different)
    return 1 if wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m scripts.matrix", description=__doc__)
    parser.add_argument("--python", nargs="+", default=PYTHONS)
    parser.add_argument("--triton", nargs="+", default=TRITONS)
    parser.add_argument("--keep", action="store_true", help="keep the folders of Triton")
    return parser.parse_args()


def answer(python: str, triton: str, *, keep: bool) -> Answer | None:
    """What the tool says of the examples there; None where it cannot be installed or run."""
    environment = _environment(python)
    folder = environment / f"triton-{triton}"
    report = environment / f"report-{triton}.json"
    if environment.exists() and not folder.exists():
        pip = [environment / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", "--target", folder]
        _run([*pip, f"triton=={triton}"])
    examples = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").glob("*.py"))
    targets = [word for target in TARGETS for word in ("--target", target)]
    command = [environment / "bin" / "gluon-inspect", "report", *examples, *targets, "--format", f"json={report}"]
    report.unlink(missing_ok=True)
    _run([*command, "--fail-on", "never", "--no-cache", "--jobs", "1"], PYTHONPATH=f"{ROOT}:{folder}")
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    if not report.exists():
        return None
    kernels = json.loads(report.read_text())["kernels"]
    assert {kernel["triton_version"] for kernel in kernels} == {triton}, "another Triton was asked"
    return digest(kernels)


def _environment(python: str) -> Path:
    """The environment of a Python, made where there is none; a folder in front replaces its Triton."""
    place = PLACE / python
    if not place.exists():
        _run([f"python{python}", "-m", "venv", place])
        pip = [place / "bin" / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt"]
        _run([*pip, "-e", ROOT, "torch"])
    return place


def _run(command: list[Any], **environment: str) -> None:
    subprocess.run(list(map(str, command)), env=os.environ | environment, cwd=ROOT, check=False)


def digest(kernels: list[dict[str, Any]]) -> Answer:
    """Rules by line, counts by access, and whether it compiles, for each kernel, target and launch."""
    return {
        _name(kernel): {
            "findings": _findings(kernel),
            "accesses": _accesses(kernel),
            "errors": ["it does not compile"] if kernel["error"] else [],
        }
        for kernel in kernels
    }


def _name(kernel: Mapping[str, Any]) -> str:
    file = Path((kernel["source"] or {}).get("file", "")).name
    constants = json.dumps(kernel["constexprs"], sort_keys=True)
    return f"{file} {kernel['name']} {kernel['target']} {kernel['launch']['id']} {constants}"


def _findings(kernel: Mapping[str, Any]) -> list[str]:
    return sorted(f"{one['rule']} at line {(one.get('location') or {}).get('line')}" for one in kernel["findings"])


def _accesses(kernel: Mapping[str, Any]) -> list[str]:
    return sorted(
        f"line {(one['location'] or {}).get('line')} {one['space']} {one['direction']}: "
        + ", ".join(f"{one[count]} {count}" for count in _COUNTS)
        for one in kernel["accesses"]
    )


def differences(before: Answer, after: Answer) -> Iterator[str]:
    """What one answer has and the other has not."""
    for name in sorted({*before, *after}):
        for part in ("findings", "accesses", "errors"):
            old, new = (answer.get(name, {}).get(part, []) for answer in (before, after))
            yield from (f"{name}: - {each}" for each in old if each not in new)
            yield from (f"{name}: + {each}" for each in new if each not in old)


if __name__ == "__main__":
    sys.exit(main())
