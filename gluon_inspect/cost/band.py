"""How far the expected time may be off, by what limits a launch.

Set by hand from the errors of 234 timed launches (`python -m benchmarks.times` prints how many lie within);
not yet learned from them, nor checked on launches kept back.
"""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.model.cost import Resource

_MEMORY = (Resource.DRAM, Resource.L2_REQUESTS, Resource.L2_PATH)
_BANDS: Mapping[str, float] = {"DRAM": 0.12, "memory": 0.3, "SM": 0.25, "latency": 0.3}
_WITHOUT_CODE = 0.35


def band_of(limiting: Resource, *, issued: bool) -> float | None:
    """Share of the expected time; None where no timed launches tell."""
    if not issued:
        return None
    if limiting is Resource.DRAM:
        return _BANDS["DRAM"]
    if limiting is Resource.LATENCY:
        return _BANDS["latency"]
    return _BANDS["memory"] if limiting in _MEMORY else _BANDS["SM"]
