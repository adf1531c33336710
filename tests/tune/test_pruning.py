"""The functions for Triton's tuner, under a driver that says it is an H200 and launches nothing."""

import importlib
import math
import warnings
from types import SimpleNamespace

import pytest
import torch
import triton
import triton.language as tl

import gluon_inspect
from gluon_inspect import targets
from gluon_inspect.errors import UsageError
from gluon_inspect.recording.child.driver import make_driver
from gluon_inspect.tune import pruning


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr, STRIDE: tl.constexpr):
    lane = tl.arange(0, BLOCK) * STRIDE
    at = tl.program_id(0) * BLOCK + lane % BLOCK + lane // BLOCK
    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def until(x, y, n, BLOCK: tl.constexpr, STRIDE: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for _ in range(tl.load(x).to(tl.int32)):
        tl.store(y + at * STRIDE, tl.load(x + at, mask=at < n), mask=at < n)


CONFIGS = [
    triton.Config({"BLOCK": 256, "STRIDE": 8}, num_warps=4),
    triton.Config({"BLOCK": 1024, "STRIDE": 1}, num_warps=4),
    triton.Config({"BLOCK": 1024, "STRIDE": 32}, num_warps=4),
    triton.Config({"BLOCK": 512, "STRIDE": 2}, num_warps=4),
]
"""Fastest first: 1, 3, 0, 2. Lanes that are far apart ask for more sectors."""
N = 1 << 24


class Tensor:
    """As much of a tensor as Triton and we read of one."""

    def __init__(self, address):
        self.shape, self.dtype, self._address = (N,), torch.float32, address

    def data_ptr(self):
        return self._address

    def stride(self, _=None):
        return (1,)


@pytest.fixture
def gpu(monkeypatch, tmp_path):
    """A driver without a device; `benched` are the configurations that are timed, `compiled` what is compiled."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    driver = make_driver(targets.find("cuda:90"), lambda *_: lambda *_: None, None)
    driver.is_recorder = False
    driver.get_benchmarker = lambda: lambda call, quantiles: call() or [1.0] * len(quantiles)
    config = importlib.import_module("triton.runtime.driver").driver
    monkeypatch.setattr(config, "_active", driver)
    monkeypatch.setattr(config, "_default", driver)
    seen = SimpleNamespace(benched=[], compiled=[], driver=driver)
    autotuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    bench = autotuner._bench

    def benched(tuner, *arguments, config, **options):
        seen.benched.append(CONFIGS.index(config))
        return bench(tuner, *arguments, config=config, **options)

    monkeypatch.setattr(autotuner, "_bench", benched)
    for function in (copy, until):
        function.device_caches.clear()
        assert function.device_caches[0]  # it finds the compiler when it is first asked for
        compile_ = function.compile
        monkeypatch.setattr(
            function, "compile", lambda src, _do=compile_, **o: seen.compiled.append(src.name) or _do(src, **o)
        )
    return seen


def run(function=copy, configs=CONFIGS, **pruned):
    tuner = triton.autotune(configs=configs, key=["n"], prune_configs_by=pruned or None)(function)
    tuner[lambda meta: (triton.cdiv(N, meta["BLOCK"]),)](Tensor(1 << 32), Tensor(2 << 32), N)
    return tuner


def test_the_tuner_times_those_that_are_expected_to_be_fastest(gpu):
    run(early_config_prune=gluon_inspect.early_config_prune(keep=2))
    assert gpu.benched == [1, 3]


@pytest.mark.usefixtures("gpu")
def test_one_that_is_left_is_taken():
    tuner = run(early_config_prune=gluon_inspect.early_config_prune(keep=1))
    assert tuner.best_config == CONFIGS[1]


def test_triton_ranks_by_the_expected_times(gpu):
    run(perf_model=gluon_inspect.perf_model, top_k=3)
    assert gpu.benched == [1, 3, 0]


def test_what_was_compiled_to_be_ranked_is_not_compiled_again(gpu):
    run(early_config_prune=gluon_inspect.early_config_prune(keep=2))
    assert len(gpu.benched) == 2
    assert gpu.compiled == ["copy"] * len(CONFIGS)


@pytest.mark.usefixtures("gpu")
def test_a_function_with_heuristics_is_ranked_with_what_they_give():
    wrapped = triton.heuristics({"STRIDE": lambda values: 32 if values["BLOCK"] < 1024 else 1})(copy)
    configs = [triton.Config({"BLOCK": block}) for block in (128, 1024, 256)]
    tuner = run(wrapped, configs, early_config_prune=gluon_inspect.early_config_prune(keep=1))
    assert tuner.best_config == configs[1]


def test_on_a_card_of_another_size_all_are_timed(gpu):
    gpu.driver.utils.get_device_properties = lambda _: {"multiprocessor_count": 16, "max_shared_mem": 1 << 17}
    run(early_config_prune=gluon_inspect.early_config_prune(keep=1))
    assert gpu.benched == [0, 1, 2, 3]


def test_in_a_recording_all_are_tried(gpu):
    gpu.driver.is_recorder = True
    run(early_config_prune=gluon_inspect.early_config_prune(keep=1))
    assert gpu.benched == [0, 1, 2, 3]


def test_where_the_model_cannot_say_all_stay(gpu):
    run(until, early_config_prune=gluon_inspect.early_config_prune(keep=1))
    assert gpu.benched == [0, 1, 2, 3]


def test_a_fault_of_ours_costs_no_tuning(gpu, monkeypatch):
    monkeypatch.setattr(pruning, "with_sass", lambda _: 1 / 0)
    with pytest.warns(UserWarning, match="all are timed, since early_config_prune: a fault"):
        run(early_config_prune=gluon_inspect.early_config_prune(keep=1))
    assert gpu.benched == [0, 1, 2, 3]


def test_without_a_tuner_nothing_is_pruned():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gluon_inspect.early_config_prune(keep=1)(CONFIGS, {}, grid=(1,)) == CONFIGS
        assert gluon_inspect.perf_model(BLOCK=1) == 0.0


def test_configurations_that_do_not_fit_go_and_unknown_ones_stay(monkeypatch):
    monkeypatch.setattr(pruning, "_expected", lambda *_: [3.0, math.inf, None, 2.0, 1.0])
    assert gluon_inspect.early_config_prune(keep=2)("abcde", {}) == ["c", "d", "e"]
    monkeypatch.setattr(pruning, "_expected", lambda *_: [math.inf, None, None, None, math.inf])
    assert gluon_inspect.early_config_prune(keep=2)("abcde", {}) == list("abcde")


def test_at_least_one_is_kept():
    with pytest.raises(UsageError, match="at least one configuration is kept"):
        gluon_inspect.early_config_prune(keep=0)
