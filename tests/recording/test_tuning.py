"""Which configurations of an autotuned kernel are launched when none can be timed."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from triton.runtime.autotuner import Autotuner

from gluon_inspect.loading import load
from gluon_inspect.loading.save import save_capture
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.tuning import CONFIGURATIONS, FEWEST, Tuning
from gluon_inspect.recording.record import record
from tests.recording.scripts import write

MANY = CONFIGURATIONS + 4


class Kernel:
    """What the autotuner knows of one."""

    configs = tuple(range(MANY))
    base_fn = SimpleNamespace(__name__="matmul")


def _all_of(kernel: Kernel) -> tuple[int, ...]:
    return kernel.configs


def tried(monkeypatch: Any, too_large: set[int], keys: int) -> tuple[list[list[int]], tuple[str, ...]]:
    """The configurations that each key launched, and what was said at the end."""
    launched: list[int] = []

    def bench(_: Any, *, config: int) -> list[float]:
        if config in too_large:
            return [math.inf] * 3
        launched.append(config)
        return [1.0] * 3

    monkeypatch.setattr(Autotuner, "prune_configs", _all_of)
    monkeypatch.setattr(Autotuner, "_bench", bench)
    kernel = Kernel()
    patched: Any = Autotuner
    made_up = MadeUp()
    found: list[list[int]] = []
    with Patches() as patches:
        Tuning(made_up).install(patches)
        for _ in range(keys):
            launched.clear()
            times = {c: patched._bench(kernel, config=c) for c in patched.prune_configs(kernel)}
            found.append(list(launched))
            assert min(times, key=lambda config: times[config]) == found[0][0]
    assert patched._bench is bench
    return found, made_up.notes()


def test_the_first_key_shows_the_choices_and_later_ones_the_chosen(monkeypatch: Any) -> None:
    found, notes = tried(monkeypatch, set(), 3)
    assert found == [list(range(CONFIGURATIONS)), [0], [0]]
    assert notes == (
        f"autotuned matmul: {CONFIGURATIONS} of {MANY} configurations are here (--all-configs for all)",
    )


def test_a_configuration_that_does_not_fit_is_not_counted_nor_chosen(monkeypatch: Any) -> None:
    found, _ = tried(monkeypatch, {0, 2}, 2)
    assert found == [[1, *range(3, CONFIGURATIONS + 2)], [1]]


def test_further_kernels_show_a_few() -> None:
    tuning = Tuning(MadeUp())
    prune, bench = tuning._starting(_all_of), tuning._trying(lambda _, *, config: [float(config)] * 3)
    first, second = Kernel(), Kernel()
    launched = [sum(bench(k, config=c)[0] < math.inf for c in prune(k)) for k in (first, second, first)]
    assert launched == [CONFIGURATIONS, FEWEST, 1]


TUNED = """
import torch, triton, triton.language as tl

@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=[])
@triton.jit
def fill(dst, BLOCK: tl.constexpr):
    tl.store(dst + tl.arange(0, BLOCK), 1.0)

@triton.jit
def plain(dst):
    tl.store(dst, 1.0)

x = torch.empty(128, device="cuda")
fill[(1,)](x)
plain[(1,)](x)
"""


def test_what_only_the_tuner_launched_is_a_trial_and_what_was_chosen_is_none(tmp_path: Path) -> None:
    capture = record(write(tmp_path, TUNED), "cuda:90")
    launches = {
        (kernel.name, kernel.constexprs.get("BLOCK")): launch.trial
        for kernel in capture.kernels
        for launch in kernel.launches
    }
    assert launches == {("fill", "64"): False, ("fill", "128"): True, ("plain", None): False}
    save_capture(capture, tmp_path / "run.gi")
    kept = [launch.trial for kernel in load(tmp_path / "run.gi").kernels for launch in kernel.launches]
    assert sorted(kept) == [False, False, True]
