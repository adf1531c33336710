"""What the child is asked to do: plain data, handed over as a JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from gluon_inspect.recording.exploration import Exploration
from gluon_inspect.recording.substitution import Substitution


class ScriptKind(StrEnum):
    """How a script is run."""

    FILE = "file"
    MODULE = "module"
    FUNCTION = "function"
    TESTS = "tests"


@dataclass(frozen=True, slots=True)
class Job:
    """One recording.

    `script` is a file or a module's name; `selector` the function, or pytest's node id below the file.
    `kernel` empty: every kernel is recorded; otherwise those of that name. `folder` comes first on the
    script's import path.
    """

    script: str
    kind: ScriptKind
    target: str
    selector: str = ""
    argv: tuple[str, ...] = ()
    kernel: str = ""
    folder: str = ""
    substitutions: tuple[Substitution, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    """Files, by their whole paths, that the script is to find changed, and how."""
    notebook: str = ""
    """Where the code of `script` comes from, and what its lines are called by."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Compilations, by their keys, that ended an earlier run of the script, and how."""
    all_configs: bool = False
    """Every configuration of an autotuned kernel is launched, for every key."""
    only_launches: int = 0
    """The script ends after so many launches; 0: when it ends."""
    assumed: tuple[tuple[str, int | float | bool], ...] = ()
    """What the script reads from the GPU, by place."""
    compilers: int = 1
    """Compilations at once, in processes of their own; 0: the script's process compiles."""
    cached: bool = False
    """What earlier runs compiled is not compiled again."""
    exploration: Exploration | None = None
    """Configurations to try; then kernels are recorded without what their passes did."""

    @property
    def shown(self) -> str:
        """The file that the user named."""
        return self.notebook or self.script

    def write(self, path: Path) -> None:
        """Writes the job as JSON."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def read(path: Path) -> Job:
        """The job that `write` wrote."""
        data = json.loads(path.read_text(encoding="utf-8"))
        read = {
            "kind": ScriptKind(data["kind"]),
            "argv": tuple(data["argv"]),
            "assumed": tuple((place, value) for place, value in data["assumed"]),
            "skipped": tuple((key, reason) for key, reason in data["skipped"]),
            "texts": tuple((file, text) for file, text in data["texts"]),
            "substitutions": tuple(Substitution(**each) for each in data["substitutions"]),
            "exploration": data["exploration"] and Exploration.read(data["exploration"]),
        }
        return Job(**data | read)
