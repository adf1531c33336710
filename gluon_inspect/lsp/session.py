"""What the server does when something happens; the protocol's own words stay in `server`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pygls import uris
from pygls.lsp.server import LanguageServer

from gluon_inspect.bulkheads import Fault
from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.fixes import Fixed
from gluon_inspect.explaining.fixes_told import headline
from gluon_inspect.explaining.launches import told_once
from gluon_inspect.explaining.text import as_markdown
from gluon_inspect.loading.cache import cache_folder
from gluon_inspect.lsp.actions import as_workspace_edit
from gluon_inspect.lsp.background import Background
from gluon_inspect.lsp.client import Client
from gluon_inspect.lsp.inspecting import inspect, request_for, scripts_of, tried
from gluon_inspect.lsp.rule_pages import write_rule_pages
from gluon_inspect.lsp.seen import Seen, real
from gluon_inspect.model.request import Request, Tell
from gluon_inspect.project.configuration import Configuration, load_configuration
from gluon_inspect.wording.places import short_path

_SEE_LATER = "save the files first: what is fixed is what was recorded"


class Session:
    """Scripts and what is known of them. Everything runs on the server's loop but what `Background` does."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self.client = Client(server)
        self.seen: dict[str, Seen] = {}
        self.rules = ""
        self._requests: dict[str, Request] = {}
        self._told: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._background = Background(self._failed, self._doing)

    def begin(self) -> None:
        """The client is ready: begin to import, and look at the scripts that its folders name."""
        self._loop = asyncio.get_running_loop()
        self._background.start()
        self._background.ask(
            "rules", lambda _: self._on_loop(self._with_rules, write_rule_pages(_folder("rules")))
        )
        for folder in self._server.workspace.folders.values():
            self._look(Path(uris.to_fs_path(folder.uri) or "."))

    def end(self) -> None:
        """Give up what is under way."""
        self._background.stop()

    def texts(self) -> Mapping[str, str]:
        """Open documents by their real paths."""
        return {
            real(document.path): document.source for document in self._server.workspace.text_documents.values()
        }

    def known(self) -> Sequence[Seen]:
        """What is known, script by script."""
        return tuple(self.seen.values())

    def opened(self, path: str) -> None:
        """Show what is known of a file, and look at its project's scripts if nobody has."""
        self.client.publish(self, path)
        self._look(Path(path).parent)

    def edited(self, path: str) -> None:
        """The lines of a file moved: nothing is run."""
        if any(real(path) in seen.files for seen in self.seen.values()):
            self.client.publish(self, path)

    def saved(self, path: str) -> None:
        """Run the scripts that the project names: those that use the file first, the others for what they read."""
        configuration = self._configuration(Path(path).parent)
        scripts = scripts_of(configuration)
        for script in sorted(scripts, key=lambda each: not self._uses(each, path)):
            self._ask(script, request_for(script, configuration))

    def inspect(self, uri: str) -> None:
        """Run a file, since the user asks for it."""
        path = uris.to_fs_path(uri) or uri
        self._ask(path, request_for(path, self._configuration(Path(path).parent)))

    def fix(self, script: str, index: int, number: int) -> None:
        """Compile and inspect a fix; apply it if it is better."""
        seen, request = self.seen.get(script), self._requests.get(script)
        fixes = seen.studied[index].fixes if seen is not None and index in seen.studied else ()
        if seen is None or request is None or not 0 <= number < len(fixes):
            self.client.say(f"{short_path(script)} was inspected anew meanwhile: choose again")
            return
        if as_workspace_edit(seen, fixes[number], self.texts(), self.client.encoding) is None:
            self.client.say(_SEE_LATER)
            return

        def work(tell: Tell) -> None:
            self._on_loop(self._fixed, seen, tried(seen, index, number, request, tell))

        self._background.ask(script, work)

    def explain(self, uri: str, kernel: str) -> None:
        """Write the explanation of a kernel's launches, and open it beside the file."""
        path = uris.to_fs_path(uri) or uri

        def work(tell: Tell) -> None:
            texts: list[str] = []
            for seen in self.known():
                own = [each for _, each in seen.kernels(path) if each.name == kernel]
                tell(f"explaining {kernel}")
                found = [explain(each) for each in own]
                texts += [
                    as_markdown(each.explanation, seen.report.sources, each.launches) for each in told_once(found)
                ]
            file = _folder("explained") / f"{kernel}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(texts), encoding="utf-8")
            self._on_loop(self.client.show, file.as_uri())

        self._background.ask(f"explain {kernel}", work)

    def _look(self, folder: Path) -> None:
        configuration = self._configuration(folder)
        for script in scripts_of(configuration):
            if script not in self._requests:
                self._ask(script, request_for(script, configuration))

    def _configuration(self, folder: Path) -> Configuration:
        try:
            return load_configuration(folder)
        except InspectError as error:
            if str(error) not in self._told:
                self._told.add(str(error))
                self.client.say(str(error))
            return Configuration()

    def _uses(self, script: str, path: str) -> bool:
        seen = self.seen.get(script)
        return real(script.partition("::")[0]) == real(path) or (seen is not None and real(path) in seen.files)

    def _ask(self, script: str, request: Request) -> None:
        self._requests[script] = request

        def work(tell: Tell) -> None:
            before = self.seen.get(script)
            inspect(request, tell, lambda seen: self._on_loop(self._inspected, seen), before)

        self._background.ask(script, work)

    def _inspected(self, seen: Seen) -> None:
        before = self.seen.get(seen.script)
        files = {*seen.files, *(() if before is None else before.files)}
        self.seen[seen.script] = seen
        for file in sorted(files):
            self.client.publish(self, file)
        self.client.refresh()

    def _fixed(self, seen: Seen, fixed: Fixed) -> None:
        for left in fixed.left:
            self.client.say(f"{left.kernel.name}, not changed: {left.why}")
        for fix in fixed.fixes:
            edit = as_workspace_edit(seen, fix, self.texts(), self.client.encoding)
            if edit is None:
                self.client.say(_SEE_LATER)
            else:
                self.client.apply(edit, fix.proposal.title)
                self.client.say(headline(fixed, [short_path(file) for file in fixed.texts]), is_good=True)

    def _with_rules(self, uri: str) -> None:
        self.rules = uri

    def _failed(self, key: str, error: InspectError | Fault) -> None:
        told = str(error) if isinstance(error, Fault) else f"{short_path(key)}: {error}"
        self._on_loop(self.client.log, told)

    def _doing(self, key: str, doing: str) -> None:
        self._on_loop(self.client.progress, short_path(key), doing)

    def _on_loop(self, do: Callable[..., None], *arguments: object) -> None:
        """From the thread that inspects to the one that talks to the client; nothing once the server has ended."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(do, *arguments)


def _folder(name: str) -> Path:
    return cache_folder() / name
