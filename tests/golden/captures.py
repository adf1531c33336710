"""Captures as the repository keeps them: index and members of several `.gi` files as one JSON, packed together.

Members that captures share (sources, dumps of passes that know no target) are kept once, and packing all of them
in one stream takes a third of what the files take apart.
"""

from __future__ import annotations

import base64
import json
import lzma
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

INPUTS = Path(__file__).parent / "inputs"
_INDEX = "index.json"
_LEFT_OUT = frozenset({"llir"})
"""Stages that no report reads."""
_SECONDS = 0.25
"""What compiling took, the same in every recording."""
_PLACES = {
    place: b"/" + b"venv".ljust(len(place) - 1, b"_") for place in (sys.prefix.encode(), sys.base_prefix.encode())
}
"""Where Triton and Python lay, by tracebacks and line tables; of the same length, since binaries count bytes."""


def pack(captures: Mapping[str, Path], file: Path, failed: Mapping[str, str] | None = None) -> None:
    """Keeps capture files by name, and what was said where there is none; the same files give the same bytes."""
    blobs: dict[str, str] = {}
    indices = {name: _index(path, blobs) for name, path in captures.items()}
    packed = {"captures": indices, "failed": dict(failed or {}), "blobs": blobs}
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def unpack(file: Path, folder: Path, step: int = 1) -> list[str]:
    """Writes every `step`-th capture as `<name>.gi` into a folder; returns their names in order."""
    packed = json.loads(lzma.decompress(file.read_bytes()))
    wanted = list(packed["captures"])[::step]
    for name in wanted:
        _write(packed["captures"][name], packed["blobs"], folder / f"{name}.gi")
    return wanted


def _index(path: Path, blobs: dict[str, str]) -> dict[str, object]:
    """A capture's index without what differs from run to run; its members go to `blobs`."""
    with zipfile.ZipFile(path) as archive:
        index = json.loads(_placeless(archive.read(_INDEX)))
        for kernel in index["kernels"]:
            kernel["compile_seconds"] = _SECONDS
            kernel["stages"] = {k: v for k, v in kernel["stages"].items() if k not in _LEFT_OUT}
        for name in sorted(_members(index)):
            blobs.setdefault(name, _as_text(_placeless(archive.read(f"blobs/{name}"))))
    return index


def _placeless(content: bytes) -> bytes:
    for place, nowhere in _PLACES.items():
        content = content.replace(place, nowhere)
    return content


def _members(index: object) -> set[str]:
    """Names of members anywhere in an index: the only strings of 24 hexadecimal digits."""
    if isinstance(index, dict):
        return {each for value in index.values() for each in _members(value)}
    if isinstance(index, list):
        return {each for value in index for each in _members(value)}
    is_name = isinstance(index, str) and len(index) == 24 and not set(index) - set("0123456789abcdef")
    return {index} if is_name else set()


def _as_text(content: bytes) -> str:
    """Text with a "t" before it, anything else as base64 with a "b"."""
    try:
        return "t" + content.decode()
    except UnicodeDecodeError:
        return "b" + base64.b64encode(content).decode()


def _as_bytes(text: str) -> bytes:
    return text[1:].encode() if text[0] == "t" else base64.b64decode(text[1:])


def _write(index: object, blobs: Mapping[str, str], path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_INDEX, json.dumps(index, indent=1))
        for name in sorted(_members(index)):
            archive.writestr(f"blobs/{name}", _as_bytes(blobs[name]))
