"""Nsight Compute as a program: where it is, how it is asked, how its reports become CSV."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from gluon_inspect.errors import CaptureError
from gluon_inspect.measure.names import NCU

_PLACES = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute")
_IMPORT_SECONDS = 300.0
_SOURCE_SECTION = "SourceCounters"
_NO_PERMISSION, _ERROR = "ERR_NVGPUCTRPERM", "==ERROR=="


def find_ncu() -> str | None:
    """The ncu program: on the PATH, in CUDA's folder, or the newest of Nsight Compute's own folders."""
    found = shutil.which("ncu")
    if found:
        return found
    own = sorted(Path(_PLACES[1]).glob("*/ncu"), reverse=True)
    return next((str(path) for path in (Path(_PLACES[0]) / "ncu", *own) if os.access(path, os.X_OK)), None)


def profile_command(ncu: str, report: Path, log: Path, child: Sequence[str]) -> list[str]:
    """The command that profiles what the child marks, clocks and caches left as they are; ncu's words go to `log`.

    `--clock-control none`: nothing of the card is changed; counts do not depend on clocks.
    """
    metrics = ",".join(NCU.values())
    options = ["--clock-control", "none", "--profile-from-start", "off", "--target-processes", "all"]
    outputs = ["-f", "-o", str(report), "--log-file", str(log)]
    return [ncu, *options, "--metrics", metrics, "--section", _SOURCE_SECTION, *outputs, *child]


def why_nothing(log: Path) -> str:
    """Why ncu left no report, from its log; empty where it does not say."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    if _NO_PERMISSION in text:
        return "no permission to read the GPU's counters (ERR_NVGPUCTRPERM): ask an administrator"
    errors = [line for line in text.splitlines() if line.startswith(_ERROR)]
    return f"ncu says {errors[0].removeprefix(_ERROR).strip()}" if errors else ""


def as_csv(ncu: str, report: Path, page: str) -> str:
    """One page ("raw" or "source") of a .ncu-rep file as CSV; CaptureError with ncu's own words if it cannot."""
    command = [ncu, "--import", str(report), "--csv", "--page", page, "--print-units", "base"]
    if page == "source":
        command += ["--print-source", "sass"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_IMPORT_SECONDS, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        said = next((line for line in (done.stderr + done.stdout).splitlines() if line.strip()), "no output")
        raise CaptureError(f"ncu cannot read {report}: {said}")
    return done.stdout
