"""A Dask cluster as the place where tasks run: machines that see the same files.

What crosses is pickled between processes of one user, as Dask does; nothing of a capture is executed on the way.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

from gluon_inspect.errors import CaptureError, UsageError

_CONNECTION_SECONDS = 10
_OWN = "gluon-inspect"


@contextmanager
def cluster(address: str) -> Generator[tuple[Executor, int]]:
    """The workers behind a scheduler as an executor, and how many tasks they do at once.

    A task whose worker is lost is given to another. Raises UsageError where Dask is missing, nobody answers at the
    address, there is no worker, or one has another version of this package.
    """
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError:
        raise UsageError("--scheduler needs dask.distributed", hint="pip install 'gluon-inspect[dask]'") from None
    try:
        client = distributed.Client(address, timeout=_CONNECTION_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        hint = "start one with `dask scheduler`, and `dask worker ADDRESS` on each machine"
        raise UsageError(f"no scheduler answers at {address}: {error}", hint=hint) from None
    with client:
        width = sum(client.nthreads().values())
        if not width:
            raise UsageError(f"the scheduler at {address} has no workers", hint=f"start `dask worker {address}`")
        _compare(client.run(version, _OWN, on_error="return"))
        with client.get_executor(pure=False) as workers:
            yield _Workers(workers, distributed.KilledWorker), width


def _compare(versions: dict[str, object]) -> None:
    """Results of another version would be another report."""
    own = version(_OWN)
    for worker, found in versions.items():
        if found != own:
            raise UsageError(f"{_OWN} on the worker {worker}: {found}; here: {own}")


class _Workers(Executor):
    """Dask's executor with the errors of Python's own, in this process's folder."""

    def __init__(self, workers: Executor, killed: type[Exception]) -> None:
        self._workers, self._lost = workers, (killed, CancelledError)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A call on some worker."""
        told: Future[Any] = Future()
        with warnings.catch_warnings():
            # a capture has megabytes, and is used once
            warnings.filterwarnings("ignore", message="Sending large graph")
            there = self._workers.submit(_in_folder, os.getcwd(), partial(fn, *args, **kwargs))
        there.add_done_callback(partial(self._tell, told))
        return told

    def _tell(self, told: Future[Any], there: Future[Any]) -> None:
        error = CancelledError() if there.cancelled() else there.exception()
        if error is None:
            told.set_result(there.result())
        elif isinstance(error, self._lost):
            told.set_exception(BrokenExecutor(type(error).__name__))
        else:
            told.set_exception(error)


def _in_folder(folder: str, work: Callable[[], Any]) -> Any:
    """What `work` gives on a worker, where paths mean what they mean at home."""
    try:
        os.chdir(folder)
    except OSError as error:
        hint = "all machines of the cluster must see the same files at the same places"
        raise CaptureError(f"a worker cannot work in {folder}: {error.strerror}", hint=hint) from None
    return work()
