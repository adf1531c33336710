"""The language server: the protocol's requests, each handed to a function that knows nothing of it."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as t
from pygls import uris
from pygls.lsp.server import LanguageServer

from gluon_inspect.lsp.actions import actions
from gluon_inspect.lsp.hints import hints
from gluon_inspect.lsp.hovers import hover
from gluon_inspect.lsp.lenses import EXPLAIN, FIX, INSPECT, lenses
from gluon_inspect.lsp.session import Session
from gluon_inspect.version import tool_version

_KINDS = [t.CodeActionKind.QuickFix, t.CodeActionKind.Refactor]


def make_server() -> LanguageServer:
    """A server that is ready to be started on standard input and output."""
    server = LanguageServer("gluon-inspect", tool_version())
    session = Session(server)
    _follow(server, session)
    _answer(server, session)
    _obey(server, session)
    return server


def _path(uri: str) -> str:
    return uris.to_fs_path(uri) or uri


def _follow(server: LanguageServer, session: Session) -> None:
    """What happens to documents."""

    @server.feature(t.INITIALIZED)
    def _(_: t.InitializedParams) -> None:
        session.begin()

    @server.feature(t.SHUTDOWN)
    def _(_: None) -> None:
        session.end()

    @server.feature(t.TEXT_DOCUMENT_DID_OPEN)
    def _(params: t.DidOpenTextDocumentParams) -> None:
        session.opened(_path(params.text_document.uri))

    @server.feature(t.TEXT_DOCUMENT_DID_CHANGE)
    def _(params: t.DidChangeTextDocumentParams) -> None:
        session.edited(_path(params.text_document.uri))

    @server.feature(t.TEXT_DOCUMENT_DID_SAVE)
    def _(params: t.DidSaveTextDocumentParams) -> None:
        session.saved(_path(params.text_document.uri))


def _answer(server: LanguageServer, session: Session) -> None:
    """What is asked of documents."""

    def text_of(uri: str) -> str:
        return server.workspace.get_text_document(uri).source

    @server.feature(t.TEXT_DOCUMENT_HOVER)
    def _(params: t.HoverParams) -> t.Hover | None:
        uri, place = params.text_document.uri, params.position
        return hover(session.known(), _path(uri), text_of(uri), place.line, place.character)

    @server.feature(t.TEXT_DOCUMENT_INLAY_HINT)
    def _(params: t.InlayHintParams) -> list[t.InlayHint]:
        uri, lines = params.text_document.uri, params.range
        encoding = session.client.encoding
        return hints(session.known(), _path(uri), text_of(uri), lines.start.line, lines.end.line, encoding)

    @server.feature(t.TEXT_DOCUMENT_CODE_LENS)
    def _(params: t.CodeLensParams) -> list[t.CodeLens]:
        uri = params.text_document.uri
        return lenses(session.known(), _path(uri), uri, text_of(uri))

    @server.feature(t.TEXT_DOCUMENT_CODE_ACTION, t.CodeActionOptions(code_action_kinds=_KINDS))
    def _(params: t.CodeActionParams) -> list[t.CodeAction]:
        path, encoding = _path(params.text_document.uri), session.client.encoding
        given = params.context.diagnostics
        return actions(session.known(), path, session.texts(), params.range, given, encoding)


def _obey(server: LanguageServer, session: Session) -> None:
    """What the user chooses."""

    @server.command(INSPECT)
    def _(uri: Any) -> None:
        session.inspect(str(uri))

    @server.command(EXPLAIN)
    def _(uri: Any, kernel: Any) -> None:
        session.explain(str(uri), str(kernel))

    @server.command(FIX)
    def _(script: Any, index: Any, number: Any) -> None:
        session.fix(str(script), int(index), int(number))
