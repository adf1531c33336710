"""What is known of two stored kernels, as the server has it after an inspection."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gluon_inspect.lsp.inspecting import inspect
from gluon_inspect.lsp.seen import Seen, real
from gluon_inspect.model.request import Request, silent

CAPTURE = Path(__file__).parents[1] / "tui" / "data" / "kernels.gi"


@dataclass(frozen=True)
class Known:
    """What was published, in order; the file that the kernels stand in and its recorded text."""

    published: tuple[Seen, ...]
    file: str
    text: str

    @property
    def seen(self) -> list[Seen]:
        """The last of what was published."""
        return [self.published[-1]]

    def line(self, text: str) -> int:
        """The 0-based line that a text stands in first."""
        return next(at for at, line in enumerate(self.text.split("\n")) if text in line)


@pytest.fixture(scope="session")
def known() -> Known:
    published: list[Seen] = []
    inspect(Request((str(CAPTURE),)), silent, published.append)
    (file,) = published[-1].report.sources
    return Known(tuple(published), file, published[-1].files[real(file)])
