"""What the editor is told: diagnostics, progress, messages, edits."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from lsprotocol import types as t
from pygls.lsp.server import LanguageServer

from gluon_inspect.lsp.diagnostics import diagnostics, uri_of
from gluon_inspect.lsp.seen import real

if TYPE_CHECKING:
    from gluon_inspect.lsp.session import Session

_TITLE = "gluon-inspect"


class Client:
    """The editor at the other end. Called on the server's loop alone."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._progress: dict[str, _Progress] = {}

    @property
    def encoding(self) -> t.PositionEncodingKind | str:
        """What columns count."""
        return self._server.workspace.position_encoding or t.PositionEncodingKind.Utf16

    def publish(self, session: Session, path: str) -> None:
        """The diagnostics of a file, at its lines as they are in the editor, or else as they were recorded."""
        open_ones = self._server.workspace.text_documents.values()
        document = next((each for each in open_ones if real(each.path) == real(path)), None)
        recorded = next((seen.files[real(path)] for seen in session.known() if real(path) in seen.files), "")
        text = recorded if document is None else document.source
        found = diagnostics(session.known(), path, text, self.encoding, session.rules)
        self._server.text_document_publish_diagnostics(
            t.PublishDiagnosticsParams(
                uri_of(path) if document is None else document.uri,
                found,
                version=None if document is None else document.version,
            )
        )

    def refresh(self) -> None:
        """Hints and lenses are to be asked for again, where the editor can be told so."""
        able = self._server.client_capabilities.workspace
        if able is None:
            return
        if able.inlay_hint is not None and able.inlay_hint.refresh_support:
            self._server.workspace_inlay_hint_refresh(None)
        if able.code_lens is not None and able.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)

    def say(self, message: str, *, is_good: bool = False) -> None:
        """A message that the user sees."""
        kind = t.MessageType.Info if is_good else t.MessageType.Warning
        self._server.window_show_message(t.ShowMessageParams(kind, message))

    def log(self, message: str) -> None:
        """A message in the editor's log."""
        self._server.window_log_message(t.LogMessageParams(t.MessageType.Warning, message))

    def show(self, uri: str) -> None:
        """Open a file; where the editor cannot, say where it is."""
        window = self._server.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            self._server.window_show_document(t.ShowDocumentParams(uri, take_focus=True))
        else:
            self.say(f"the explanation is in {uri}", is_good=True)

    def apply(self, edit: t.WorkspaceEdit, label: str) -> None:
        """Change files in the editor."""
        self._server.workspace_apply_edit(t.ApplyWorkspaceEditParams(edit, label=label))

    def progress(self, key: str, doing: str) -> None:
        """What is being done under a key; empty: it is over."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        if doing:
            if key not in self._progress:
                self._progress[key] = _Progress(self._server)
            self._progress[key].tell(doing)
        elif key in self._progress:
            self._progress.pop(key).end()


class _Progress:
    """One bar: begun when the editor has made it, ended whether it has or not."""

    def __init__(self, server: LanguageServer) -> None:
        self._bars, self._token = server.work_done_progress, str(uuid4())
        self._doing, self._begun, self._over = "", False, False
        self._bars.create(self._token, self._made)  # pyright: ignore[reportUnknownMemberType]: it names no types

    def tell(self, doing: str) -> None:
        """What is being done now."""
        if doing != self._doing:
            self._doing = doing
            if self._begun:
                self._bars.report(self._token, t.WorkDoneProgressReport(message=doing))

    def end(self) -> None:
        """It is over."""
        self._over = True
        if self._begun:
            self._bars.end(self._token, t.WorkDoneProgressEnd())

    def _made(self, *_: object) -> None:
        self._begun = True
        self._bars.begin(self._token, t.WorkDoneProgressBegin(_TITLE, message=self._doing, cancellable=False))
        if self._over:
            self.end()
