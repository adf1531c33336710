"""Clocks through NVIDIA's management library, a stand-in for it."""

from __future__ import annotations

from types import SimpleNamespace

from gluon_inspect.measure.clocks import UNKNOWN, clock_reader


def _torch(uuid="1234"):
    return SimpleNamespace(cuda=SimpleNamespace(get_device_properties=lambda _: SimpleNamespace(uuid=uuid)))


class _Library:
    def __init__(self, *, found=True, refused=()) -> None:
        self.found, self.refused, self.asked = found, refused, []

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByUUID(self, name, _):
        self.asked.append(name)
        return 0 if self.found else 6

    def nvmlDeviceGetClockInfo(self, _, kind, value):
        value._obj.value = {1: 1980, 2: 3201}[kind]
        return 3 if kind in self.refused else 0


def test_both_clocks_of_the_device_that_torch_uses():
    library = _Library()
    assert clock_reader(_torch(), lambda _: library)() == (1980, 3201)
    assert library.asked == [b"GPU-1234"]


def test_a_clock_that_cannot_be_read_is_unknown():
    assert clock_reader(_torch(), lambda _: _Library(refused=(2,)))() == (1980, None)


def test_without_library_device_or_uuid_clocks_are_unknown():
    def missing(name):
        raise OSError(name)

    assert clock_reader(_torch(), missing)() == UNKNOWN
    assert clock_reader(_torch(), lambda _: _Library(found=False))() == UNKNOWN
    assert clock_reader(_torch(None), lambda _: _Library())() == UNKNOWN
