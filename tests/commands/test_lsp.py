"""`gluon-inspect lsp` without what it needs says what to install."""

from __future__ import annotations

import sys

import pytest

from gluon_inspect.cli import main


def test_without_pygls_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    for name in [name for name in sys.modules if name.startswith("gluon_inspect.lsp")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("pygls", "lsprotocol"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["lsp"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "the language server needs pygls (hint: pip install 'gluon-inspect[lsp]')" in told.err
