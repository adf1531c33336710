"""What the tool answers on kept inputs, through its command line alone, and how two sets of answers differ.

A golden file is a gzip of one JSON object: a case's name to its exit code, standard output and standard error.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gluon_inspect.cli import main
from tests.golden.captures import INPUTS, unpack
from tests.golden.hostile import CASES, FORMATS, FORMATTED
from tests.golden.layouts import COMPARED, DRAWN

EXPECTED = Path(__file__).parent / "expected"
Answer = dict[str, Any]
Answers = dict[str, Answer]
_VERSION = re.compile(r'("name": "gluon-inspect",\s*"version": )"[^"]*"')
_SETTINGS = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHON_COLORS": "0"}
_FRESH = ("--jobs", "1", "--no-cache")
_SAMPLE = 4
"""One launch in so many is looked at in every test run, all with `make golden`."""
_SAMPLED = {"cuda-90": "explain", "hip-gfx942": "explain", "cuda-80": "explain text", "hip-gfx950": "explain text"}
"""What test runs explain, and how it is written: explaining takes longer than everything else together."""


def ask(*words: str) -> Answer:
    """One run of the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as end:
            code = int(end.code or 0)
        except Exception as error:  # noqa: BLE001  # a bug: it is an answer too, and the other cases are asked
            code = f"{type(error).__name__}: {error}"
    return {"code": code, "out": _VERSION.sub(r'\1"any"', out.getvalue()), "err": err.getvalue()}


def groups(every: bool = False) -> dict[str, Callable[[], Answers]]:
    """By golden file: what answers it. `every`: all launches and explanations, not a sample."""
    example, step = (_everything, 1) if every else (_sampled, _SAMPLE)
    found: dict[str, Callable[[], Answers]] = {"layouts": _layouts, "hostile": _hostile}
    for folder, of_one, each in (("examples", example, 1), ("rules", _reported, 1), ("truth", _reported, step)):
        for file in sorted(INPUTS.glob(f"{folder}/*.xz")):
            found[f"{folder}/{file.stem}"] = partial(_captures, file, of_one, each)
    return found


def answers(group: str, every: bool = False) -> Answers:
    """A group's answers, made in an empty folder, where no configuration and no cache is."""
    with TemporaryDirectory() as folder, chdir(folder), _environment({**_SETTINGS, "GLUON_INSPECT_CACHE": folder}):
        return groups(every)[group]()


def expected(group: str) -> Answers:
    """What was kept; nothing if that group is new."""
    file = EXPECTED / f"{group}.json.gz"
    return json.loads(gzip.decompress(file.read_bytes())) if file.is_file() else {}


def keep(group: str, found: Answers) -> bool:
    """Writes a golden file if its content changes; says whether it did."""
    if found == expected(group):
        return False
    file = EXPECTED / f"{group}.json.gz"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=0, ensure_ascii=False)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return True


def differences(old: Answers, new: Answers) -> Iterator[tuple[str, str, object, object]]:
    """(case, place, old, new) for every value that differs between two sets of answers, in order."""
    for case in dict.fromkeys((*old, *new)):
        before, after = old.get(case), new.get(case)
        if before is None or after is None:
            yield case, "the case", "there" if before else "absent", "there" if after else "absent"
        elif before != after:
            told = list(_between(_opened(before), _opened(after), "$"))
            told = told or [("$.out (text)", before["out"], after["out"])]
            yield from ((case, place, a, b) for place, a, b in told)


def described(found: list[tuple[str, str, object, object]], most: int = 1) -> str:
    """The first differences in words, and how many there are besides."""
    lines = [f"{case}\n  at {place}\n  was {_short(a)}\n  now {_short(b)}" for case, place, a, b in found[:most]]
    if len(found) > most:
        cases = len({case for case, *_ in found})
        lines.append(f"and {len(found) - most} more differences, in {cases} cases in all")
    return "\n".join(lines)


def _layouts() -> Answers:
    drawn = {
        f"{name} {kind}": (text, "--shape", shape, "--format", kind)
        for name, (text, shape) in DRAWN.items()
        for kind in ("text", "svg")
    }
    compared = {f"{name} equal": (a, "--shape", shape, "--equal", b) for name, (a, b, shape) in COMPARED.items()}
    return {name: ask("layout", *words) for name, words in {**drawn, **compared}.items()}


def _hostile() -> Answers:
    found: Answers = {}
    for case, (name, content, options) in CASES.items():
        if name:
            Path(name).write_bytes(content)
        formats = ("json", *FORMATS) if case in FORMATTED else ("json",)
        for kind in formats:
            found[f"{case} {kind}"] = _report(name or "absent.ttgir", kind, *options)
    return found


def _captures(file: Path, of_one: Callable[[str], Answers], step: int) -> Answers:
    names = unpack(file, Path(), step)
    return {f"{name} {question}": answer for name in names for question, answer in of_one(name).items()}


def _reported(name: str) -> Answers:
    return {"report": _report(f"{name}.gi", "json")}


def _sampled(name: str) -> Answers:
    wanted = ("report", "passes", _SAMPLED.get(name))
    return {question: ask(*words) for question, words in _questions(f"{name}.gi").items() if question in wanted}


def _everything(name: str) -> Answers:
    return {question: ask(*words) for question, words in _questions(f"{name}.gi").items()}


def _questions(file: str) -> dict[str, tuple[str, ...]]:
    return {
        "report": ("report", file, "--format", "json", *_FRESH),
        "explain": ("explain", file, "--format", "json"),
        "explain text": ("explain", file),
        "passes": ("passes", file, "--format", "json"),
    }


def _report(file: str, kind: str, *options: str) -> Answer:
    return ask("report", file, "--format", kind, *_FRESH, *options)


def _opened(answer: Answer) -> Answer:
    """JSON as what it says, other text as its lines."""
    try:
        return {**answer, "out": json.loads(answer["out"])}
    except ValueError:
        return {**answer, "out": answer["out"].splitlines(), "err": answer["err"].splitlines()}


def _between(old: object, new: object, place: str) -> Iterator[tuple[str, object, object]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            yield from _between(old.get(key, ...), new.get(key, ...), f"{place}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from _between(a, b, f"{place}[{index}]")
    elif old != new or type(old) is not type(new):
        yield place, old, new


def _short(value: object) -> str:
    text = "nothing" if value is ... else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]} … ({len(text):,} characters)"


class _environment:
    """Environment variables for a while."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values, self._before = values, dict(os.environ)

    def __enter__(self) -> None:
        os.environ.update(self._values)

    def __exit__(self, *_: object) -> None:
        os.environ.clear()
        os.environ.update(self._before)
