"""The server as an editor sees it: one project, from the first file that is opened to a fix that is applied."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as t
from pygls.lsp.client import LanguageClient

SECONDS = 120
KERNEL = """\
import sys
from pathlib import Path

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(src, dst, ROWS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    place = row[:, None] * 64 + column[None, :]
    gl.store(dst + place, gl.load(src + place))


Path(__file__).with_suffix(".ran").open("a").write("ran\\n")
src = torch.randn(65536, 64, device="cuda")
copy[(1024,)](src, torch.empty_like(src), 64)
"""
STORE = KERNEL.split("\n").index("    gl.store(dst + place, gl.load(src + place))")
LAYOUT = STORE - 4


class Editor:
    """A client, what it was told, and waiting for what it is to be told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("test", "1")
        self.told: list[tuple[str, Any]] = []
        self._more = asyncio.Event()
        for name in (
            t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            t.WINDOW_SHOW_MESSAGE,
            t.WINDOW_LOG_MESSAGE,
            t.PROGRESS,
        ):
            self.client.feature(name)(self._hearing(name))
        self.client.feature(t.WINDOW_WORK_DONE_PROGRESS_CREATE)(lambda _: None)
        self.client.feature(t.WORKSPACE_APPLY_EDIT)(lambda params: self._applied(params))
        self.client.feature(t.WINDOW_SHOW_DOCUMENT)(lambda params: self._shown(params))

    def _hearing(self, name: str) -> Callable[[Any], None]:
        def hear(params: Any) -> None:
            self.told.append((name, params))
            self._more.set()

        return hear

    def _applied(self, params: t.ApplyWorkspaceEditParams) -> t.ApplyWorkspaceEditResult:
        self._hearing(t.WORKSPACE_APPLY_EDIT)(params)
        return t.ApplyWorkspaceEditResult(applied=True)

    def _shown(self, params: t.ShowDocumentParams) -> t.ShowDocumentResult:
        self._hearing(t.WINDOW_SHOW_DOCUMENT)(params)
        return t.ShowDocumentResult(success=True)

    async def until(self, name: str, wanted: Callable[[Any], bool]) -> Any:
        """The first thing of a kind that fits, of what was told and not waited for yet."""
        async with asyncio.timeout(SECONDS):
            while True:
                for at, (kind, params) in enumerate(self.told):
                    if kind == name and wanted(params):
                        del self.told[: at + 1]
                        return params
                self._more.clear()
                await self._more.wait()

    async def start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "gluon_inspect", "lsp", "--stdio")
        window = t.WindowClientCapabilities(
            work_done_progress=True, show_document=t.ShowDocumentClientCapabilities(support=True)
        )
        folder = t.WorkspaceFolder(self.folder.as_uri(), "project")
        asked = t.InitializeParams(
            t.ClientCapabilities(window=window), process_id=os.getpid(), workspace_folders=[folder]
        )
        answer = await self.client.initialize_async(asked)
        assert answer.capabilities.hover_provider
        self.client.initialized(t.InitializedParams())

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(self.client.stop(), SECONDS)

    def open(self, file: Path) -> t.TextDocumentIdentifier:
        item = t.TextDocumentItem(file.as_uri(), "python", 1, file.read_text())
        self.client.text_document_did_open(t.DidOpenTextDocumentParams(item))
        return t.TextDocumentIdentifier(item.uri)

    def edit(self, document: t.TextDocumentIdentifier, text: str) -> None:
        whole = t.TextDocumentContentChangeWholeDocument(text)
        named = t.VersionedTextDocumentIdentifier(2, document.uri)
        self.client.text_document_did_change(t.DidChangeTextDocumentParams(named, [whole]))

    async def run(self, command: str, *arguments: object) -> None:
        asked = t.ExecuteCommandParams(command, list(arguments))
        await self.client.workspace_execute_command_async(asked)

    async def diagnostics(self, document: t.TextDocumentIdentifier, wanted: Callable[[Any], bool] = bool) -> Any:
        """The next diagnostics of a document that fit."""
        told = await self.until(
            t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, lambda each: each.uri == document.uri and wanted(each.diagnostics)
        )
        return told.diagnostics


def runs(file: Path) -> int:
    ran = file.with_suffix(".ran")
    return len(ran.read_text().splitlines()) if ran.exists() else 0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "gluon-inspect.toml").write_text('scripts = ["named*.py"]\n')
    for name in ("named.py", "other.py"):
        (tmp_path / name).write_text(KERNEL)
    return tmp_path


def test_from_the_first_file_to_a_fix_that_is_applied(project: Path):
    asyncio.run(asyncio.wait_for(_sitting(Editor(project), project), SECONDS))


async def _sitting(editor: Editor, project: Path) -> None:
    await editor.start()
    named = editor.open(project / "named.py")
    (found, *_) = await editor.diagnostics(named)
    assert (found.code, found.range.start.line) == ("GI101", STORE)
    await editor.until(t.PROGRESS, lambda each: each.value["kind"] == "end")
    assert runs(project / "named.py") == 1
    await _asked(editor, named)

    # what is not saved is not run, and a half-typed text is no hindrance
    editor.edit(named, KERNEL.replace("gl.store(", "gl.store((") + "raise SystemExit\n")
    assert not [each for each in await editor.diagnostics(named, lambda _: True) if each.range.start.line == STORE]
    assert runs(project / "named.py") == 1
    await editor.run("gluon-inspect.fix", str(project / "named.py"), 0, 0)
    told = await editor.until(t.WINDOW_SHOW_MESSAGE, lambda _: True)
    assert told.message == "save the files first: what is fixed is what was recorded"
    editor.edit(named, KERNEL)
    await editor.diagnostics(named)

    # the fix is compiled and inspected before it is applied
    await editor.run("gluon-inspect.fix", str(project / "named.py"), 0, 0)
    applied = await editor.until(t.WORKSPACE_APPLY_EDIT, lambda _: True)
    (edits,) = applied.edit.changes.values()
    assert [(each.range.start.line, each.new_text) for each in edits] == [(LAYOUT, "[1, 4]"), (LAYOUT, "[2, 16]")]
    assert runs(project / "named.py") == 2
    assert (project / "named.py").read_text() == KERNEL

    # another file is run only when the user asks
    other = editor.open(project / "other.py")
    editor.client.text_document_did_save(t.DidSaveTextDocumentParams(other))
    await editor.run("gluon-inspect.explain", named.uri, "copy")
    shown = await editor.until(t.WINDOW_SHOW_DOCUMENT, lambda _: True)
    assert Path(shown.uri.removeprefix("file://")).read_text().startswith("# `copy` on `cuda:90`")
    assert runs(project / "other.py") == 0
    (lens,) = await editor.client.text_document_code_lens_async(t.CodeLensParams(other))
    assert lens.command is not None
    await editor.run(lens.command.command, *(lens.command.arguments or ()))
    assert await editor.diagnostics(other)
    assert runs(project / "other.py") == 1
    await editor.stop()


async def _asked(editor: Editor, named: t.TextDocumentIdentifier) -> None:
    """Every question that an editor asks of a document."""
    hover = await editor.client.text_document_hover_async(t.HoverParams(named, t.Position(STORE, 8)))
    assert hover is not None
    assert "first warp, first instruction" in hover.contents.value  # pyright: ignore
    whole = t.Range(t.Position(0, 0), t.Position(99, 0))
    hints = await editor.client.text_document_inlay_hint_async(t.InlayHintParams(named, whole))
    assert any("× the sectors" in str(each.label) for each in hints or ())
    (lens,) = await editor.client.text_document_code_lens_async(t.CodeLensParams(named)) or ()
    assert lens.command is not None
    assert lens.command.title.startswith("cuda:90: ")
    line = t.Range(t.Position(STORE, 0), t.Position(STORE, 0))
    asked = t.CodeActionParams(named, line, t.CodeActionContext([]))
    actions = await editor.client.text_document_code_action_async(asked)
    assert [each.title.rpartition(": ")[2] for each in actions or ()][:2] == [
        "compile, inspect, and apply if better",
        "apply as it is",
    ]
