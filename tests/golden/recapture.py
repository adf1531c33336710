"""Makes `inputs` anew: `python -m tests.golden.recapture [GROUP…]`; needs Triton, torch and ../shared/truth.

Only wanted when an example, a rule's example or the recorded launches change: Triton's output is then a new input,
and `make golden` shows what that did.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.loading.save import load_capture, save_capture
from gluon_inspect.model.artifact import Capture
from gluon_inspect.wording.examples import IMPORTS
from tests.golden.captures import INPUTS, pack
from tests.truth.cases import kernel_of, load

TARGETS = ("cuda:80", "cuda:90", "cuda:100", "cuda:120", "hip:gfx942", "hip:gfx950")
ROOT = Path(__file__).resolve().parents[2]
RECORDED = Path("/tmp/gluon-inspect-golden")
"""Scripts are recorded here, so that no path of a checkout stands in a capture or a binary."""


def main(groups: list[str]) -> None:
    """Records the groups asked for, all if none is."""
    shutil.rmtree(RECORDED, ignore_errors=True)
    RECORDED.mkdir()
    known = {"examples": examples, "rules": rules, "truth": truth}
    for group in groups or known:
        known[group]()
    shutil.rmtree(RECORDED)


def examples() -> None:
    """One file an example, a capture for each target."""
    for script in sorted((ROOT / "examples").rglob("*.py")):
        copy = Path(shutil.copy(script, RECORDED))
        captures = {target.replace(":", "-"): recorded(copy, target) for target in TARGETS}
        write("examples", script.stem, captures)


def rules() -> None:
    """One file a hundred of rules, a capture for the bad and one for the good example of each."""
    said = subprocess.run(
        [sys.executable, "-m", "gluon_inspect", "rules", "--format", "json"], capture_output=True, check=True
    )
    groups: dict[str, dict[str, Path | str]] = {}
    for rule in json.loads(said.stdout):
        for kind in ("bad", "good"):
            name = f"{rule['code'].lower()}_{kind}"
            if rule["example_language"] != "python":
                continue
            script = RECORDED / f"{name}.py"
            script.write_text(f"{IMPORTS}\n\n{rule[kind]}")
            groups.setdefault(f"{rule['code'][:3].lower()}xx", {})[name] = recorded(script, rule["example_target"])
    for group, captures in groups.items():
        write("rules", group, captures)


def truth() -> None:
    """The launches whose counters an H200 gave."""
    for name in ("h200", "h200b"):
        write("truth", name, dict(launches(name)))


def launches(name: str) -> Iterator[tuple[str, Path]]:
    """Each launch as a capture of its own."""
    for case in load(name):
        path = RECORDED / f"{case['name']}.gi"
        save_capture(Capture("truth", (kernel_of(case),)), path)
        yield case["name"], path


def recorded(script: Path, target: str) -> Path | str:
    """A script's capture with its SASS; what was said on stderr if there is none."""
    path = RECORDED / f"{script.stem}.{target.replace(':', '-')}.gi"
    asked = [sys.executable, "-m", "gluon_inspect", "capture", str(script), "--target", target, "-o", str(path)]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=RECORDED, check=False)
    print(script.stem, target, done.returncode, done.stderr.strip().splitlines()[-1:], flush=True)
    if not path.is_file():
        return done.stderr
    save_capture(with_sass(load_capture(path)), path)
    return path


def write(group: str, name: str, captures: dict[str, Path | str]) -> None:
    """Packs the captures of one file of inputs; what gave none stands beside them as its error."""
    failed = {case: said for case, said in captures.items() if isinstance(said, str)}
    made = {case: path for case, path in captures.items() if isinstance(path, Path)}
    pack(made, INPUTS / group / f"{name}.xz", failed)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        import os

        os.environ["GLUON_INSPECT_CACHE"] = cache
        main(sys.argv[1:])
