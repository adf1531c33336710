"""Triton's own folders: TRITON_CACHE_DIR trees and TRITON_KERNEL_DUMP folders. Listed at once, read on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from gluon_inspect.errors import CaptureError
from gluon_inspect.loading.content import parse_json, read_content, read_head, read_text
from gluon_inspect.loading.kind import STAGES
from gluon_inspect.loading.texts import kernel_names, target_name
from gluon_inspect.model.artifact import CompiledKernel, Launch

_TEXTS = {
    ".source": "source",
    ".glir": "source",
    ".ttir": "ttir",
    ".ttgir": "ttgir",
    ".llir": "llir",
    ".ptx": "ptx",
    ".amdgcn": "amdgcn",
    ".sass": "sass",
}
_BINARIES = (".cubin", ".hsaco")
_METADATA_BYTES = 16 << 20
Content = TypeVar("Content", str, bytes)


class _Files(Mapping[str, Content]):
    """What files hold, by stage, read when asked for."""

    def __init__(self, paths: Mapping[str, Path], read: Callable[[Path], Content]) -> None:
        self._paths, self._read = dict(paths), read

    def __getitem__(self, stage: str) -> Content:
        return self._read(self._paths[stage])

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _text(path: Path) -> str:
    return read_text(path)


def kernels_in(folder: Path, target: str = "") -> tuple[CompiledKernel, ...]:
    """Every kernel below a folder, by path; `target` is that of files that name none.

    Raises CaptureError where there is none.
    """
    groups: dict[tuple[Path, str], dict[str, Path]] = defaultdict(dict)
    for path in sorted(folder.rglob("*")):
        if path.suffix in _TEXTS or path.suffix in _BINARIES or path.suffix == ".json":
            groups[path.parent, path.stem][path.suffix] = path
    kernels = tuple(_kernel(stem, files, target) for (_, stem), files in groups.items() if _is_kernel(files))
    if not kernels:
        raise CaptureError(
            f"no compiled kernel below {folder}",
            hint="give a TRITON_CACHE_DIR or TRITON_KERNEL_DUMP folder (its entries hold .ttgir and .json files)",
        )
    return kernels


def _is_kernel(files: Mapping[str, Path]) -> bool:
    return any(suffix in _TEXTS or suffix in _BINARIES for suffix in files)


def _kernel(stem: str, files: Mapping[str, Path], otherwise: str) -> CompiledKernel:
    metadata = _metadata(files.get(".json"))
    texts = {_TEXTS[suffix]: path for suffix, path in files.items() if suffix in _TEXTS}
    binaries = {suffix[1:]: files[suffix] for suffix in _BINARIES if suffix in files}
    scalars = {
        name: value
        for name, value in metadata.items()
        if not name.isupper() and (value is None or isinstance(value, int | float | str))
    }
    name, target = str(metadata.get("name") or ""), _target(metadata.get("target"))
    if not name or not target:
        told = _told(stem, texts)
        name, target = name or told[0], target or told[1]
    return CompiledKernel(
        name=name,
        target=target or otherwise,
        triton_version=str(metadata.get("triton_version") or ""),
        stages=_Files(texts, _text),
        binaries=_Files(binaries, read_content),
        metadata=scalars,
        launches=(Launch("launch0"),),
    )


def _told(stem: str, texts: Mapping[str, Path]) -> tuple[str, str]:
    """Name and target as the texts themselves tell them, for files that somebody put together by hand."""
    name = target = ""
    for kind, stage in STAGES.items():
        if stage in texts and not (name and target):
            with suppress(CaptureError):
                head = read_head(texts[stage]).decode("utf-8", errors="replace")
                name, target = name or kernel_names(head, kind, "")[0], target or target_name(head)
    return name or stem, target


def _metadata(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = parse_json(read_text(path, _METADATA_BYTES))
    except (ValueError, CaptureError):
        return {}
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}


def _target(found: Any) -> str:
    match found:
        case {"backend": str(backend), "arch": int() | str() as architecture}:
            return f"{backend}:{architecture}"
        case _:
            return ""
