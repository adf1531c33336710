"""How long an editor waits for diagnostics: `python -m benchmarks.editor_time` starts the server as editors do.

copy_2d.py is opened, then saved with a comment changed, then with its kernel changed; Triton compiles meanwhile.
On a busy machine all of it takes longer; ratios hold.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lsprotocol import types as t
from pygls.lsp.client import LanguageClient

_EXAMPLE = Path(__file__).parents[1] / "examples" / "copy_2d.py"
_SAVES = 5


async def _measured(folder: Path) -> None:
    file = folder / "copy_2d.py"
    text = _EXAMPLE.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    (folder / "gluon-inspect.toml").write_text('scripts = ["copy_2d.py"]\n', encoding="utf-8")
    client, told = LanguageClient("benchmark", "1"), asyncio.Queue[Any]()
    client.feature(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: told.put_nowait(params))
    begun = time.perf_counter()
    await client.start_io(sys.executable, "-m", "gluon_inspect", "lsp")
    root = t.WorkspaceFolder(folder.as_uri(), "project")
    await client.initialize_async(
        t.InitializeParams(t.ClientCapabilities(), process_id=os.getpid(), workspace_folders=[root])
    )
    client.initialized(t.InitializedParams())
    client.text_document_did_open(
        t.DidOpenTextDocumentParams(t.TextDocumentItem(file.as_uri(), "python", 1, text))
    )
    await _next(told)
    print(f"from the start of the server to diagnostics: {time.perf_counter() - begun:.2f} s")
    for name, changed in (("a comment", "# {}"), ("the kernel", "mask = (row[:, None] < rows + {}) &")):
        seconds = [await _saved(client, file, text, changed.format(n + 1), told) for n in range(_SAVES)]
        print(f"from a save that changes {name} to diagnostics: {statistics.median(seconds):.2f} s")
    await client.shutdown_async(None)
    client.exit(None)


async def _saved(client: LanguageClient, file: Path, text: str, line: str, told: asyncio.Queue[Any]) -> float:
    await asyncio.sleep(3)  # what the save before left to do is done
    old = "mask = (row[:, None] < rows) &"
    assert old in text
    new = f"{text}\n{line}\n" if line.startswith("#") else text.replace(old, line)
    named = t.VersionedTextDocumentIdentifier(2, file.as_uri())
    whole = t.TextDocumentContentChangeWholeDocument(new)
    client.text_document_did_change(t.DidChangeTextDocumentParams(named, [whole]))
    file.write_text(new, encoding="utf-8")
    await asyncio.sleep(0.5)
    while not told.empty():
        told.get_nowait()
    begun = time.perf_counter()
    client.text_document_did_save(t.DidSaveTextDocumentParams(t.TextDocumentIdentifier(file.as_uri())))
    await _next(told)
    return time.perf_counter() - begun


async def _next(told: asyncio.Queue[Any]) -> None:
    while not (await asyncio.wait_for(told.get(), 120)).diagnostics:
        continue


def main() -> None:
    """In a folder and with a cache of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GLUON_INSPECT_CACHE"] = str(Path(folder) / "cache")
        project = Path(folder) / "project"
        project.mkdir()
        asyncio.run(_measured(project))


if __name__ == "__main__":
    main()
