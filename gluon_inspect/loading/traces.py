"""tritonparse traces: one JSON event a line, compilations with their IR and launches with their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.loading.content import machine_integer, parse_json
from gluon_inspect.loading.identity import identity
from gluon_inspect.loading.parameters import parameters
from gluon_inspect.model.artifact import (
    MOST_PROGRAMS,
    ArgumentValue,
    Capture,
    CompiledKernel,
    Launch,
    TensorArgument,
)

Event = Mapping[str, Any]

_STAGES = frozenset({"ttir", "ttgir", "llir", "ptx", "amdgcn", "sass", "source"})
_MOST_LINES = 1_000_000
_BROKEN = (ValueError, OverflowError, KeyError, TypeError, AttributeError, IndexError, RecursionError)


def read_trace(name: str, text: str) -> Capture:
    """The kernels of a trace, each distinct launch once with its count.

    Raises ParseError, with the line, for an event that is not what its type says.
    """
    kernels: dict[str, CompiledKernel] = {}
    launches: dict[str, dict[Any, Launch]] = {}
    sources: dict[str, str] = {}
    for line, event in _events(name, text):
        try:
            match event.get("event_type"):
                case "compilation":
                    _take_compilation(event["payload"], kernels, sources)
                case "launch":
                    _take_launch(event, kernels, launches)
                case _:
                    continue
        except _BROKEN as error:
            raise ParseError(f"not a tritonparse event: {error!r}", position=Position(name, line)) from None
    whole = tuple(
        replace(kernel, launches=tuple(launches.get(key, {}).values()) or (Launch("launch0"),))
        for key, kernel in kernels.items()
    )
    if not whole:
        raise ParseError("a trace without a compilation", position=Position(name), hint="was it cut short?")
    return Capture(name, whole, sources)


def _events(name: str, text: str) -> Iterator[tuple[int, Event]]:
    for line, content in enumerate(text.splitlines(), 1):
        if not content.strip():
            continue
        try:
            event = parse_json(content)
        except ValueError as error:
            raise ParseError(f"not JSON: {error}", position=Position(name, line)) from None
        if isinstance(event, dict):
            yield line, cast(Event, event)


def _take_compilation(payload: Event, kernels: dict[str, CompiledKernel], sources: dict[str, str]) -> None:
    metadata: Event = payload["metadata"]
    source: Event = payload.get("python_source") or {}
    texts = {file.rpartition(".")[2]: str(text) for file, text in payload["file_content"].items()}
    file, start = str(source.get("file_path", "")), machine_integer(source.get("start_line", 0))
    if start > _MOST_LINES:
        raise ValueError(f"no source has {start} lines")
    if file and file not in sources:
        # Only the function is in the trace: empty lines before it keep its line numbers true.
        sources[file] = "\n" * max(start - 1, 0) + str(source.get("code", ""))
    kernels.setdefault(
        str(metadata["hash"]),
        CompiledKernel(
            name=str(metadata["name"]),
            target=_target(metadata["target"]),
            triton_version=str(metadata.get("triton_version", "")),
            stages={stage: text for stage, text in texts.items() if stage in _STAGES},
            metadata={k: v for k, v in metadata.items() if v is None or isinstance(v, int | float | str)},
            source_file=file,
            source_line=start,
        ),
    )


def _target(target: Event) -> str:
    return f"{target['backend']}:{target['arch']}"


def _take_launch(
    event: Event, kernels: Mapping[str, CompiledKernel], launches: dict[str, dict[Any, Launch]]
) -> None:
    key = str(event["compilation_metadata"]["hash"])
    kernel = kernels.get(key)
    if kernel is None:
        return
    names = tuple(p.name for p in parameters(kernel.stages.get("ttgir") or kernel.stages.get("ttir", "")))
    arguments = _arguments(names, event["extracted_args"])
    grid = _grid(event["grid"])
    same = launches.setdefault(key, {})
    known = same.setdefault(
        (grid, identity(arguments)), Launch(f"launch{len(same)}", count=0, grid=grid, arguments=arguments)
    )
    same[grid, identity(arguments)] = replace(known, count=known.count + 1)


def _arguments(names: tuple[str, ...], given: Event) -> dict[str, ArgumentValue]:
    """The values of the IR's parameters: by name or, where old Triton kept no names, by order.

    Constexprs come last in nearly all kernels, and arguments equal to 1 are no parameters.
    """
    values = {name: _argument(value) for name, value in given.items()}
    if any(name in values for name in names):
        return {name: values[name] for name in names if name in values}
    run_time = [value for value in values.values() if isinstance(value, TensorArgument) or value != 1]
    return dict(zip(names, run_time, strict=False))


def _argument(value: Event) -> ArgumentValue:
    if value["type"] != "tensor":
        found = value.get("value")
        return found if found is None or isinstance(found, int | float | str) else str(found)
    return TensorArgument(
        str(value["dtype"]).removeprefix("torch."),
        tuple(machine_integer(n) for n in value["shape"]),
        tuple(machine_integer(n) for n in value["stride"]),
        machine_integer(int(str(value["data_ptr"]), 0)),
    )


def _grid(grid: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = (*map(machine_integer, grid), 1, 1)[:3]
    if not all(0 <= axis <= MOST_PROGRAMS for axis in (x, y, z)):
        raise ValueError(f"no grid: {list(grid)}")
    return x, y, z
