"""What a checker of benchmarks/amd_facts.py gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """What the tool says to a fact; `reason` where it has nothing to say."""

    value: float | None = None
    reason: str = ""


def no_answer(reason: str) -> Answer:
    """The tool has nothing to say, and why."""
    return Answer(reason=reason)
