"""One path to one capture."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path

from gluon_inspect.assembly.cubin import parse_cubin
from gluon_inspect.assembly.elf import target_of
from gluon_inspect.assembly.hsaco import parse_hsaco
from gluon_inspect.errors import CaptureError, ParseError, Position, UsageError
from gluon_inspect.loading.content import read_content, read_head, read_lines, read_text
from gluon_inspect.loading.cut import cut_text
from gluon_inspect.loading.dumps import DumpedKernel, compilations
from gluon_inspect.loading.folders import kernels_in
from gluon_inspect.loading.kind import STAGES, TEXT_SUFFIXES, Kind, detect
from gluon_inspect.loading.parameters import Parameter, bind, parameters
from gluon_inspect.loading.save import load_capture
from gluon_inspect.loading.texts import kernel_names, module_metadata, source_files, target_name
from gluon_inspect.loading.traces import read_trace
from gluon_inspect.model.artifact import PASSES, Capture, CompiledKernel, Launch, ScriptError

Given = Mapping[str, int | float | bool]
Grid = tuple[int, int, int]

_SOURCE_LIMIT_BYTES = 4 << 20
_BINARIES = {Kind.CUBIN: "cubin", Kind.HSACO: "hsaco"}
_ASSEMBLY = {Kind.PTX: "ptx", Kind.SASS: "sass", Kind.AMDGCN: "amdgcn"}


def load(
    path: str | Path,
    *,
    asm: str | Path | None = None,
    args: Given | None = None,
    grid: Grid | None = None,
    target: str = "",
    assumed: Collection[str] = (),
) -> Capture:
    """Reads IR, a dump log, assembly, a binary, a Triton folder or a capture file.

    `asm` adds the assembly (or binary) of the same kernel. `args` by the Python parameter's name (for a
    pointer: its base address) and `grid` make the launch; in a capture they replace what was recorded.
    `assumed`: names in `args` whose values are only assumed.
    `target` is used where the file names none. Raises CaptureError or ParseError for what cannot be read,
    UsageError for a name in `args` that is no parameter.
    """
    path = Path(path)
    return completed(_read(path, target), asm=asm, args=args, grid=grid, assumed=assumed)


def completed(
    capture: Capture,
    *,
    asm: str | Path | None = None,
    args: Given | None = None,
    grid: Grid | None = None,
    assumed: Collection[str] = (),
) -> Capture:
    """A capture with what `load` takes besides the file; UsageError as there."""
    if asm is not None:
        capture = _with_assembly(capture, Path(asm))
    return _with_launch(capture, args or {}, grid, assumed)


def _read(path: Path, target: str) -> Capture:
    if path.is_dir():
        return Capture(str(path), kernels_in(path, target))
    kind = detect(read_head(path))
    _refuse(path, kind)
    if kind is Kind.DUMP:
        return _dump_capture(path, target)
    content = read_content(path)
    match kind:
        case Kind.CAPTURE:
            return load_capture(path, content)
        case Kind.CUBIN | Kind.HSACO:
            return Capture(str(path), _binary_kernels(path, content, kind))
        case Kind.TRACE:
            return read_trace(str(path), content.decode("utf-8", errors="replace"))
        case _:
            return _text_capture(path, content.decode("utf-8", errors="replace"), kind, target)


def _refuse(path: Path, kind: Kind) -> None:
    """Says what a file is when that is not what it can be."""
    where = Position(str(path))
    if kind in (Kind.EMPTY, Kind.BINARY, Kind.UNKNOWN, Kind.PYTHON):
        raise ParseError(
            f"this is {kind}: there is no kernel to read in it",
            position=where,
            hint="give a script, IR, a dump log, PTX, SASS, AMDGCN, a cubin, an hsaco, an .ncu-rep or a capture",
        )
    if kind is Kind.NCU:
        raise ParseError(
            f"this is {kind}, not what a compiler wrote",
            position=where,
            hint="report FILE reads it by itself, --counters FILE puts it beside a script or IR",
        )
    if path.suffix in TEXT_SUFFIXES and kind in (Kind.CUBIN, Kind.HSACO, Kind.CAPTURE):
        raise ParseError(
            f"this is {kind}, not text as its name says",
            position=where,
            hint="give it under its own name, or beside the IR with --asm",
        )


def _binary_kernels(path: Path, content: bytes, kind: Kind) -> tuple[CompiledKernel, ...]:
    """A kernel for each function that can be launched."""
    parse = parse_cubin if kind is Kind.CUBIN else parse_hsaco
    names = [each.name for each in parse(content, str(path)).functions if each.is_entry] or [path.stem]
    binaries, launches = {_BINARIES[kind]: content}, (Launch("launch0"),)
    return tuple(CompiledKernel(name, target_of(content), binaries=binaries, launches=launches) for name in names)


def _text_capture(path: Path, text: str, kind: Kind, target: str) -> Capture:
    names = kernel_names(text, kind, path.stem)
    first = _text_kernel(names[0], {STAGES[kind]: text}, target)
    kernels = tuple(replace(first, name=name) for name in names)
    return Capture(
        str(path), kernels, _sources((first,)), error=_cut(path, cut_text(text, kind), text.count("\n") + 1)
    )


def _cut(path: Path, missing: str, line: int) -> ScriptError | None:
    """The error of a text that ends in the middle, at its last line; what was read of it stands."""
    return ScriptError(f"the text is cut: {missing}", str(path), line) if missing else None


def _cut_log(path: Path, dumped: Iterable[DumpedKernel]) -> ScriptError | None:
    return next((_cut(path, one.missing, one.last_line) for one in dumped if one.missing), None)


def _dump_capture(path: Path, target: str) -> Capture:
    with read_lines(path) as lines:
        dumped = compilations(lines)
    if not dumped:
        raise ParseError("a dump log without a module", position=Position(str(path)), hint="was it cut short?")
    kernels = tuple(_dumped_kernel(one, path.stem, target) for one in dumped)
    return Capture(str(path), kernels, _sources(kernels), error=_cut_log(path, dumped))


def _dumped_kernel(dumped: DumpedKernel, otherwise: str, target: str) -> CompiledKernel:
    kernel = _text_kernel(dumped.name or otherwise, dumped.stages, target)
    # every log is given up as its kernel takes it
    log, dumped.log = dumped.log.getvalue(), StringIO()
    lines = {f"{stage}_line": line for stage, line in dumped.lines.items()}
    return replace(kernel, dumps={PASSES: log}, metadata={**kernel.metadata, **lines})


def _text_kernel(name: str, stages: Mapping[str, str], target: str) -> CompiledKernel:
    text = stages.get("ttgir") or next(iter(stages.values()), "")
    file, line = next(iter(source_files(text)), ("", 0))
    return CompiledKernel(
        name=name,
        target=target_name(text) or target,
        stages=dict(stages),
        metadata=module_metadata(text),
        launches=(Launch("launch0"),),
        source_file=file,
        source_line=line,
    )


def _sources(kernels: tuple[CompiledKernel, ...]) -> dict[str, str]:
    """The Python files that the IR names, where this machine has them."""
    names = {name for kernel in kernels for text in kernel.stages.values() for name, _ in source_files(text)}
    found: dict[str, str] = {}
    for name in sorted(names):
        with suppress(CaptureError):
            found[name] = read_text(Path(name), _SOURCE_LIMIT_BYTES)
    return found


def _with_assembly(capture: Capture, path: Path) -> Capture:
    content = read_content(path)
    kind = detect(content)
    if len(capture.kernels) != 1:
        raise UsageError(
            f"--asm belongs to one kernel, {capture.origin} has {len(capture.kernels)}",
            hint="choose with --kernel",
        )
    kernel = capture.kernels[0]
    if kind in _BINARIES:
        kernel = replace(kernel, binaries={_BINARIES[kind]: content}, target=kernel.target or target_of(content))
    elif stage := _ASSEMBLY.get(kind):
        text = content.decode("utf-8", errors="replace")
        kernel = replace(kernel, stages={**kernel.stages, stage: text}, target=kernel.target or target_name(text))
        capture = replace(capture, error=capture.error or _cut(path, cut_text(text, kind), text.count("\n") + 1))
    else:
        raise ParseError(
            f"this is {kind}, not assembly",
            position=Position(str(path)),
            hint="--asm takes SASS, PTX, AMDGCN or a binary",
        )
    return replace(capture, kernels=(kernel,))


def _with_launch(capture: Capture, args: Given, grid: Grid | None, assumed: Collection[str]) -> Capture:
    if not args and grid is None:
        return capture
    known = {index: _parameters(kernel) for index, kernel in enumerate(capture.kernels)}
    everywhere = tuple({parameter.name: parameter for found in known.values() for parameter in found}.values())
    _, notes = bind(everywhere, args)
    kernels = tuple(
        replace(
            kernel,
            launches=tuple(_relaunch(launch, known[index], args, grid, assumed) for launch in kernel.launches),
        )
        for index, kernel in enumerate(capture.kernels)
    )
    return replace(capture, kernels=kernels, notes=(*capture.notes, *notes))


def _relaunch(
    launch: Launch, known: tuple[Parameter, ...], args: Given, grid: Grid | None, assumed: Collection[str]
) -> Launch:
    names = {parameter.name for parameter in known}
    values, _ = bind(known, {name: value for name, value in args.items() if name in names})
    open_names = tuple(
        name for name in {**dict.fromkeys(launch.assumed), **values} if name not in args or name in assumed
    )
    return replace(launch, grid=grid or launch.grid, arguments={**launch.arguments, **values}, assumed=open_names)


def _parameters(kernel: CompiledKernel) -> tuple[Parameter, ...]:
    text = kernel.stages.get("ttgir") or kernel.stages.get("ttir") or ""
    found = parameters(text)
    if not found and not text and not kernel.stages and not kernel.binaries:
        raise CaptureError(f"{kernel.name} holds nothing that could be given arguments")
    return found
