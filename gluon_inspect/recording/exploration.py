"""Which configurations of which kernels a recording tries: plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

Configuration = Mapping[str, str]
"""Constants and options by name, as Python."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """Every launch of a kernel whose name fits `kernel` is made with each of its configurations.

    `space`: configurations to try; empty: the kernel's own, as its autotuner has them. Of all, every `parts`-th is
    tried from the one at `part` on, so that several recordings share them.
    """

    kernel: str
    space: tuple[Configuration, ...] = ()
    part: int = 0
    parts: int = 1

    @staticmethod
    def read(data: Mapping[str, Any]) -> Exploration:
        """From what `asdict` makes of it."""
        return Exploration(data["kernel"], tuple(data["space"]), data["part"], data["parts"])

    def fits(self, kernel: str) -> bool:
        """Whether a kernel of this name is explored."""
        return fnmatchcase(kernel, self.kernel)

    def own(self, configurations: Sequence[Any]) -> Sequence[Any]:
        """Those of this part."""
        return configurations[self.part :: self.parts]
