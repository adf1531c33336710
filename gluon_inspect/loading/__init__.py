"""Reading what others compiled: IR, dump logs, assembly, binaries, Triton's folders, our own captures."""

from gluon_inspect.loading.load import completed, load

__all__ = ["completed", "load"]
