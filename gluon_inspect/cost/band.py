"""How far the expected time may be off, by what limits a launch."""

from __future__ import annotations

from gluon_inspect.model.cost import Resource
from gluon_inspect.targets.bands import BANDS, Limit

_LIMITS = {
    Resource.DRAM: Limit.DRAM,
    Resource.L2_REQUESTS: Limit.MEMORY,
    Resource.L2_PATH: Limit.MEMORY,
    Resource.L2_BYTES: Limit.MEMORY,
    Resource.LATENCY: Limit.LATENCY,
}


def limit_of(limiting: Resource) -> Limit:
    """The kind of limit whose launches share a band."""
    return _LIMITS.get(limiting, Limit.SM)


def band_of(limiting: Resource, *, issued: bool) -> float | None:
    """Share of the expected time that nine of ten launches stay within; None where no timed launches tell.

    `issued`: the time follows from assembly that is there to the end.
    """
    return BANDS[limit_of(limiting)] if issued else None
