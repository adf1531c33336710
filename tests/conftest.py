from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    """Tests keep their disassembly and reports in a folder of their own."""
    folder: Path = tmp_path_factory.mktemp("cache")
    before = os.environ.get("GLUON_INSPECT_CACHE")
    os.environ["GLUON_INSPECT_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["GLUON_INSPECT_CACHE"]
    else:
        os.environ["GLUON_INSPECT_CACHE"] = before
