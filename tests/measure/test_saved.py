"""Launches made again from a capture or from IR: what the launcher gets, on a machine without a GPU.

Triton's own CompiledKernel holds the kernel; the driver is the recorder's, whose launcher these tests replace.
"""

from __future__ import annotations

import importlib
import weakref
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from gluon_inspect import pipeline
from gluon_inspect.errors import CaptureError
from gluon_inspect.measure import child, jobs, saved, session
from gluon_inspect.measure.beside import Answer, beside
from gluon_inspect.measure.footprint import Footprint
from gluon_inspect.measure.memory import ALIGNMENT_BYTES, RebuiltMemory, total_bytes
from gluon_inspect.measure.saved import RESERVE_BYTES, ZEROS, make_again
from gluon_inspect.measure.timing import Timed
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch, TensorArgument
from gluon_inspect.model.report import Timing
from gluon_inspect.model.request import Request
from gluon_inspect.recording.child.driver import make_driver
from gluon_inspect.recording.journal import JournalReader, JournalWriter
from gluon_inspect.recording.record import record
from gluon_inspect.targets import find

pytestmark = pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
_SCRIPT = Path(__file__).parent / "kernels.py"
_BASE = 0x7F0000000000


@pytest.fixture(scope="module")
def capture() -> Capture:
    return record(str(_SCRIPT), "cuda:90")


class _CpuTorch:
    """torch, with the CPU where a device is asked for and `free_bytes` of memory."""

    def __init__(self, free_bytes: int) -> None:
        self.cuda = SimpleNamespace(
            empty_cache=lambda: None,
            mem_get_info=lambda: (free_bytes + RESERVE_BYTES, free_bytes + RESERVE_BYTES),
            current_stream=lambda: SimpleNamespace(cuda_stream=3),
        )

    def __getattr__(self, name):
        return getattr(torch, name)

    def zeros(self, size, *, dtype, device):
        assert device == "cuda"
        return torch.zeros(size, dtype=dtype)


class _Journal:
    def __init__(self) -> None:
        self.events = []

    def event(self, kind, **data):
        self.events.append((kind, data))

    def of(self, kind):
        return [data for each, data in self.events if each == kind]


@pytest.fixture
def launches(monkeypatch):
    """What the launcher gets, by kernel."""
    found = {}

    def launcher(source, metadata):
        return lambda *arguments: found.__setitem__(metadata.name, (source, metadata, arguments))

    config = importlib.import_module("triton.runtime.driver").driver
    monkeypatch.setattr(config, "_active", make_driver(find("cuda:90"), launcher, lambda *_: None))
    return found


@pytest.fixture
def made(launches):
    """Makes a capture's launches; gives what the launcher got, by kernel, and the journal."""

    def make(capture, free_bytes=1 << 30, target="cuda:90", whole=False, first=lambda each: each.run(7)):
        journal = _Journal()
        make_again(capture, target, _CpuTorch(free_bytes), journal, first, whole=whole)
        return launches, journal

    return make


def _only(capture, name) -> Capture:
    return replace(capture, kernels=tuple(each for each in capture.kernels if each.name == name))


def _changed(capture, name, **changes) -> Capture:
    return Capture("", tuple(replace(each, **changes) for each in _only(capture, name).kernels))


def test_every_launch_is_made_with_its_grid_and_on_the_stream_that_is_given(made, capture):
    launches, journal = made(capture)
    assert {name: arguments[:4] for name, (_, _, arguments) in launches.items()} == {
        "copy": (16, 1, 1, 7),
        "gather": (2, 1, 1, 7),
        "tile": (2, 1, 1, 7),
    }
    assert journal.of("skipped") == []
    assert all(data["grid"] is None for data in journal.of("rebuilt"))


def test_arguments_come_in_the_order_of_the_signature_and_overlap_as_recorded(made, capture):
    source, _, arguments = made(_only(capture, "copy"))[0]["copy"]
    src, dst, n, factor, *constants = arguments[9:]
    assert (n, factor) == (4000, 2.5)
    assert src.data_ptr() - dst.data_ptr() == 4
    assert src.data_ptr() % ALIGNMENT_BYTES == 4
    assert len(arguments[9:]) == len(source.signature)
    assert constants == [None, None]


def test_the_binary_is_the_recorded_one(made, capture):
    metadata = made(_only(capture, "copy"))[0]["copy"][1]
    (kernel,) = _only(capture, "copy").kernels
    assert (metadata.hash, metadata.num_warps, metadata.target.arch) == (kernel.metadata["hash"], 4, 90)


class _Counted(RebuiltMemory):
    alive = weakref.WeakSet()

    def __init__(self, *given):
        super().__init__(*given)
        self.alive.add(self)


def test_one_launch_at_a_time_has_its_memory(monkeypatch, made, capture):
    monkeypatch.setattr(saved, "RebuiltMemory", _Counted)
    counted = []
    made(capture, first=lambda _: counted.append(len(_Counted.alive)))
    assert counted == [1, 1, 1]


def test_a_descriptor_has_its_tensor_and_what_triton_knows_of_its_encoding(made, capture):
    _, metadata, arguments = made(_only(capture, "tile"))[0]["tile"]
    described = arguments[9]
    assert (described.shape, described.strides) == ([64, 32], [32, 1])
    assert described.base.data_ptr() % 16 == 0
    assert metadata.tensordesc_meta[0]["block_size"]


def test_recorded_indices_are_used_and_unrecorded_ones_are_told(made, capture):
    _, journal = made(_only(capture, "gather"))
    assert ZEROS not in journal.of("rebuilt")[0]["notes"]
    (kernel,) = _only(capture, "gather").kernels
    (launch,) = kernel.launches
    blank = {**launch.arguments, "index": replace(launch.arguments["index"], data=None)}
    _, journal = made(_changed(capture, "gather", launches=(replace(launch, arguments=blank),)))
    assert ZEROS in journal.of("rebuilt")[0]["notes"]


def test_a_capture_without_descriptors_encodings_says_so(made, capture):
    launches, journal = made(_changed(capture, "tile", metadata={"num_warps": 4}))
    assert not launches
    assert journal.of("skipped")[0]["reason"].startswith("the capture does not say how its tensor descriptors")


def test_another_tritons_capture_is_told(made, capture):
    _, journal = made(_changed(capture, "copy", triton_version="3.5.1"))
    assert any(note.startswith("compiled by Triton 3.5.1") for note in journal.of("rebuilt")[0]["notes"])
    _, journal = made(_only(capture, "copy"))
    assert not any("compiled by" in note for note in journal.of("rebuilt")[0]["notes"])


def test_an_odd_signature_reaches_no_compiler(made, capture):
    _, journal = made(_changed(capture, "copy", signature={"src": '*fp32"; system("x'}))
    assert "cannot be made anew" in journal.of("skipped")[0]["reason"]


def test_what_was_compiled_for_another_gpu_is_left_alone(made, capture):
    launches, journal = made(capture, target="cuda:80")
    assert not launches
    assert journal.events == []


def test_ir_alone_is_compiled_and_gets_memory_for_what_it_touches(made, capture):
    (kernel,) = _only(capture, "copy").kernels
    arguments = {"src": TensorArgument("float32", (), (), _BASE), "n": 4000, "factor": 2.5}
    bare = CompiledKernel("copy", "cuda:90", stages={"ttgir": kernel.stages["ttgir"]})
    bare = replace(bare, launches=(Launch("ir", 1, (16, 1, 1), arguments),))
    launches, journal = made(Capture("", (bare,)))
    assert journal.of("skipped") == []
    _, _, given = launches["copy"]
    src, dst, n, factor = given[9:]
    assert (n, factor) == (4000, 2.5)
    assert src.data_ptr() != dst.data_ptr()


def test_a_recording_that_lost_its_binary_goes_through_its_ir_and_keeps_its_memory(made, capture):
    launches, journal = made(_changed(capture, "copy", binaries={}))
    assert journal.of("skipped") == []
    src, dst, n, factor = launches["copy"][2][9:]
    assert (src.data_ptr() - dst.data_ptr(), n, factor) == (4, 4000, 2.5)
    assert "neither made from IR" in made(_changed(capture, "tile", binaries={}))[1].of("skipped")[0]["reason"]


@pytest.mark.parametrize(
    ("grid", "arguments", "reason"),
    [
        (None, {"n": 4000, "factor": 1.0}, "its grid is not given"),
        ((16, 1, 1), {"n": 4000}, "factor is not given"),
    ],
)
def test_ir_that_lacks_something_says_what(made, capture, grid, arguments, reason):
    (kernel,) = _only(capture, "copy").kernels
    bare = CompiledKernel(
        "copy", "cuda:90", stages={"ttgir": kernel.stages["ttgir"]}, launches=(Launch("ir", 1, grid, arguments),)
    )
    assert reason in made(Capture("", (bare,)))[1].of("skipped")[0]["reason"]


def test_a_launch_that_does_not_fit_has_fewer_programs_and_the_factor_is_told(made, capture):
    (kernel,) = _only(capture, "copy").kernels
    (launch,) = kernel.launches
    whole = Footprint(kernel, torch).plan(launch, 1 << 30)
    half = Footprint(kernel, torch).plan(launch, total_bytes(whole.ranges) * 3 // 4)
    assert (whole.factor, whole.launch.grid) == (1, (16, 1, 1))
    assert (half.factor, half.launch.grid) == (2, (8, 1, 1))
    assert total_bytes(half.ranges) <= total_bytes(whole.ranges) * 3 // 4
    launches, journal = made(_only(capture, "copy"), free_bytes=total_bytes(whole.ranges) * 3 // 4)
    assert journal.of("rebuilt")[0]["factor"] == 2
    assert launches["copy"][2][:3] == (8, 1, 1)


def test_a_launch_that_would_be_scaled_down_is_not_profiled(made, capture):
    launches, journal = made(_only(capture, "copy"), free_bytes=12 << 10, whole=True)
    assert not launches
    assert journal.events == []


def test_rates_of_a_launch_that_was_scaled_down_are_its_own(capture):
    kernel = pipeline.inspect(_only(capture, "copy")).kernels[0]
    answer = Answer((1.0, 0.9, 1.1, 40), "events", grid=(8, 1, 1), factor=2)
    found = beside(kernel, answer, "NVIDIA H200", 4e12)
    assert found.bytes == 2 * 8 * 256 * 4
    assert found.notes[1] == (
        "scaled down 2 times to fit the free memory: grid 8x1x1 of 16x1x1; "
        "times and rates are those of the smaller launch"
    )


def test_descriptors_are_not_scaled_down(capture):
    (kernel,) = _only(capture, "tile").kernels
    with pytest.raises(CaptureError, match="nor scaled down"):
        Footprint(kernel, torch).plan(kernel.launches[0], 1024)


def test_fewer_programs_that_need_no_less_are_not_tried_on_the_device(capture):
    (kernel,) = _only(capture, "copy").kernels
    with pytest.raises(CaptureError, match=r"needs 0.0 GiB .* fewer programs need no less"):
        Footprint(kernel, torch).plan(kernel.launches[0], 16)


class _Timer:
    """Makes each launch once and says that it took a millisecond."""

    def __init__(self, *_, clocks):
        self._clocks = clocks

    def time(self, run, stream):
        run(stream)
        return Timed(Timing(1.0, 0.9, 1.1, 40), "events", clocks=(self._clocks(), self._clocks()))


def test_the_child_answers_for_every_launch_of_the_report(monkeypatch, tmp_path, launches, capture):
    report = pipeline.inspect(capture)
    jobs.of_launches(report, "run.gi", Request(("run.gi",))).prepare(tmp_path)
    monkeypatch.setattr(child, "Timer", _Timer)
    monkeypatch.setattr(child, "copy_bandwidth", lambda _: 4e12)
    monkeypatch.setattr(child, "clock_reader", lambda _: lambda: (1980, 3201))
    monkeypatch.setattr(child, "_target", lambda _: "cuda:90")
    journal = JournalWriter(tmp_path)
    journal.event("device", name="NVIDIA H200", target="cuda:90")
    child._run(tmp_path, _CpuTorch(1 << 30), journal, profile=False)
    journal.close()
    found = session.collected(list(JournalReader(tmp_path).new_events()), "")
    subject = jobs.Subject("run.gi", "", lambda _: None, 1.0)
    measured = [session._with_measurement(kernel, found, subject) for kernel in report.kernels]
    assert set(launches) == {"copy", "gather", "tile"}
    assert [kernel.measurement.time_ms.median for kernel in measured] == [1.0] * 3
    assert all(kernel.measurement.sm_clock.after_mhz == 1980 for kernel in measured)
