from __future__ import annotations

from types import SimpleNamespace

from gluon_inspect.measure.snapshot import Snapshot


class Storage:
    def __init__(self, content: list[int], place: int) -> None:
        self.content, self.place, self.clones = list(content), place, 0

    def data_ptr(self) -> int:
        return self.place

    def nbytes(self) -> int:
        return 8 * len(self.content)

    def clone(self) -> Storage:
        self.clones += 1
        return Storage(self.content, -1)

    def copy_(self, other: Storage) -> None:
        self.content[:] = other.content


def _tensor(storage):
    return SimpleNamespace(untyped_storage=lambda: storage)


def _device(free):
    return SimpleNamespace(mem_get_info=lambda: (free, free))


def test_what_was_written_is_put_back():
    storage = Storage([1, 2, 3], 16)
    snapshot = Snapshot([_tensor(storage)], _device(1000), reserve_bytes=0)
    storage.content[:] = [9, 9, 9]
    snapshot.restore()
    assert storage.content == [1, 2, 3]
    assert snapshot.complete


def test_views_of_one_storage_are_kept_once():
    storage = Storage([1], 16)
    Snapshot([_tensor(storage), _tensor(storage)], _device(1000), reserve_bytes=0)
    assert storage.clones == 1


def test_without_room_nothing_is_kept_and_that_is_told():
    storage = Storage([1, 2], 16)
    snapshot = Snapshot([_tensor(storage)], _device(20), reserve_bytes=8)
    storage.content[:] = [5, 5]
    snapshot.restore()
    assert not snapshot.complete
    assert storage.content == [5, 5]
