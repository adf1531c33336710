"""Profile one script with Nsight Compute through the measuring child and keep what its pages look like.

python sample_counters.py SCRIPT.py OUT_FOLDER
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from gluon_inspect.measure.ncu import as_csv, find_ncu, profile_command
from gluon_inspect.measure.process import child_command
from gluon_inspect.recording.scripts import Wanted, make_job


def main() -> None:
    """One profile, as .ncu-rep and as both CSV pages."""
    script, out = sys.argv[1], Path(sys.argv[2])
    ncu = find_ncu()
    if ncu is None:
        raise SystemExit("no ncu here")
    stem = Path(script).stem
    report = out / f"{stem}.ncu-rep"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_job(Wanted(script, ""), folder).write(folder / "job.json")
        command = profile_command(ncu, report, folder / "ncu.log", child_command(folder, "profile"))
        subprocess.run(command, check=False)
        (out / f"{stem}.events.jsonl").write_text((folder / "events.jsonl").read_text())
    for page in ("raw", "source"):
        (out / f"{stem}.{page}.csv").write_text(as_csv(ncu, report, page))


if __name__ == "__main__":
    main()
