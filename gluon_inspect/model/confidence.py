"""How far a number can be trusted."""

from __future__ import annotations

from enum import StrEnum


class Confidence(StrEnum):
    """How a number was obtained, best first."""

    EXACT = "exact"
    SAMPLED = "sampled"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"


class ModelStatus(StrEnum):
    """What stands behind the hardware model that produced a number."""

    VALIDATED = "validated"
    DOCUMENTED = "documented"
    UNVALIDATED = "unvalidated"


_ORDER = (Confidence.EXACT, Confidence.SAMPLED, Confidence.ASSUMED, Confidence.UNKNOWN)


def weakest(*confidences: Confidence) -> Confidence:
    """The least trustworthy of some confidences; EXACT of none."""
    return max(confidences, key=_ORDER.index, default=Confidence.EXACT)
