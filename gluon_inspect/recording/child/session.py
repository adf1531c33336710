"""One recording from start to end inside the child."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gluon_inspect.loading.encoding import encode_error
from gluon_inspect.model.target import Target
from gluon_inspect.recording.child import (
    benchmarks,
    overlay,
    processes,
    profiler,
    refused,
    substituting,
    system_tools,
)
from gluon_inspect.recording.child.arguments import ArgumentReader
from gluon_inspect.recording.child.blame import blamed
from gluon_inspect.recording.child.compilations import CompilationRecorder
from gluon_inspect.recording.child.driver import make_driver
from gluon_inspect.recording.child.exploring import Exploring
from gluon_inspect.recording.child.failures import script_error
from gluon_inspect.recording.child.guards import is_guarded
from gluon_inspect.recording.child.launches import EnoughLaunches, LaunchRecorder
from gluon_inspect.recording.child.libraries import LibraryCalls
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.script import run_script
from gluon_inspect.recording.child.torch_compile import Compiler
from gluon_inspect.recording.child.tuning import Trials, Tuning
from gluon_inspect.recording.job import Job, ScriptKind
from gluon_inspect.recording.journal import JournalWriter
from gluon_inspect.recording.limits import why_refused
from gluon_inspect.targets import find


def record_in_process(job: Job, journal: JournalWriter) -> None:
    """Runs the job under the recording driver; everything replaced is put back, whatever happens."""
    made_up = MadeUp(dict(job.assumed))
    try:
        with Patches() as patches:
            memory = install(patches, find(job.target), journal, made_up, job)
            if not job.all_configs and job.exploration is None:
                Tuning(made_up).install(patches)
            overlay.install(patches, dict(job.texts))
            substituting.install(patches, job.substitutions)
            prepare_inductor_output(patches, job)
            Compiler(journal, made_up, patches, job.all_configs, memory.written).install()
            journal.event("started")
            run_script(job)
    except KeyboardInterrupt:
        raise
    except EnoughLaunches as enough:
        made_up.remark(str(enough))
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            journal.event("error", error=encode_error(script_error(leaving)))
    except BaseException as error:  # noqa: BLE001 (a script may raise anything; it is reported, not swallowed)
        journal.event("error", error=encode_error(script_error(error)), by=blamed(error))
    journal.event("notes", texts=made_up.notes())
    journal.event("finished")


def _limits(target: Target, made_up: MadeUp) -> Callable[[Any], None]:
    """Says which kernels the target could not hold: Triton refuses them, as it would on the device."""

    def check(metadata: Any) -> None:
        if reason := why_refused(metadata.name, metadata._asdict(), target):
            made_up.remark(reason)

    return check


def prepare_inductor_output(patches: Patches, job: Job) -> None:
    """A file that Inductor generated benchmarks itself; importing Inductor for any other would cost seconds."""
    script = Path(job.script)
    if script.is_file() and "torch._inductor" in script.read_text(encoding="utf-8", errors="replace"):
        importlib.import_module("gluon_inspect.recording.child.fake.inductor").install_benchmark(
            patches, job.all_configs
        )


def install(
    patches: Patches, target: Target, journal: JournalWriter, made_up: MadeUp, job: Job | None = None
) -> Any:
    """The fake device, the recording driver, the compile wrap and the benchmark stubs; the device's memory."""
    fakes: Any = importlib.import_module("gluon_inspect.recording.child.fake.install")
    memory = fakes.install(patches, target, made_up)
    job = job or Job("", ScriptKind.FILE, target.name, compilers=0)
    trials = Trials()
    compilations = CompilationRecorder(
        journal,
        target.name,
        made_up,
        dict(job.skipped),
        job.compilers,
        lambda: trials() or is_guarded(),
        lambda: trials.configuration,
        cached=job.cached,
        bare=job.exploration is not None,
    )
    limits, most = _limits(target, made_up), job.only_launches or None
    trials.install(patches)
    if job.exploration is not None:
        Exploring(job.exploration, trials).install(patches)
    recorder = LaunchRecorder(journal, ArgumentReader(memory), memory, compilations, limits, most, trials)
    refused.install(patches, recorder.refused)
    driver = make_driver(target, recorder.launcher, benchmarks.for_autotuning(made_up))
    config: Any = importlib.import_module("triton.runtime.driver").driver
    patches.set(config, "_default", driver)
    patches.set(config, "_active", driver)
    compilations.install(patches)
    benchmarks.install(patches, made_up)
    processes.install(patches, made_up)
    profiler.install(patches, made_up)
    system_tools.install(patches, target, journal.blobs.parent / "tools")
    LibraryCalls(memory.written, made_up).install(patches)
    return memory
