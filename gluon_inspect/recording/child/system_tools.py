"""nvidia-smi and its kin, which libraries run to learn what device there is: they name the target."""

from __future__ import annotations

import os
from pathlib import Path

from gluon_inspect.model.target import Target
from gluon_inspect.recording.child.fake.properties import capability, device_name, memory_bytes, memory_clock_khz
from gluon_inspect.recording.child.patches import Patches

_TOOLS = {"cuda": ("nvidia-smi",), "hip": ("rocm-smi", "amd-smi", "rocminfo")}
_SCRIPT = """#!/bin/sh
# Written by gluon-inspect for the time of a recording.
case "$*" in
  *--query-gpu=*)
    fields=$(printf '%s\\n' "$*" | sed 's/.*--query-gpu=\\([^ ]*\\).*/\\1/; s/,/ /g')
    line=""
    for field in $fields; do
      case "$field" in
        name|gpu_name) value='{name}' ;;
        memory.total) value='{memory}' ;;
        compute_cap) value='{capability}' ;;
        count|gpu_count) value=1 ;;
        index) value=0 ;;
        clocks.max.sm|clocks.current.sm|clocks.sm) value='{clock} MHz' ;;
        clocks.max.memory|clocks.current.memory|clocks.mem) value='{memory_clock} MHz' ;;
        *) value='[N/A]' ;;
      esac
      line="$line${{line:+, }}$value"
    done
    case "$*" in *nounits*) line=$(printf '%s' "$line" | sed 's/ MiB//g; s/ MHz//g') ;; esac
    echo "$line" ;;
  *) echo 'GPU 0: {name} {architecture} (UUID: GPU-00000000-0000-0000-0000-000000000000)' ;;
esac
"""


def install(patches: Patches, target: Target, folder: Path) -> None:
    """Puts the target's tools first on the path, in a folder of the recording's own."""
    folder.mkdir(exist_ok=True)
    text = _SCRIPT.format(
        name=device_name(target),
        memory=f"{memory_bytes(target) >> 20} MiB",
        clock=int(target.clock_hz / 1e6),
        memory_clock=memory_clock_khz(target) // 1000,
        capability=".".join(map(str, capability(target))),
        architecture=target.name.split(":")[1] if target.backend == "hip" else "",
    )
    for tool in _TOOLS[target.backend]:
        (folder / tool).write_text(text)
        (folder / tool).chmod(0o700)
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{folder}{os.pathsep}{before}"
    patches.on_exit(lambda: os.environ.__setitem__("PATH", before))
