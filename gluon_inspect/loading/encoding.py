"""Kernels, launches and captures as JSON with blobs beside it: the one format of journal and capture file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from gluon_inspect.codec import decode, plain
from gluon_inspect.loading.content import machine_integer, parse_json
from gluon_inspect.model.artifact import (
    MOST_PROGRAMS,
    PASSES,
    ArgumentValue,
    CompiledKernel,
    DescriptorArgument,
    Launch,
    PixelBox,
    ScriptError,
    TensorArgument,
)

_DUMPS = json.dumps
Put = Callable[[bytes], str]
Get = Callable[[str], bytes]

_TENSOR, _DESCRIPTOR = "tensor", "descriptor"


def encode_argument(value: ArgumentValue, put: Put) -> Any:
    """A scalar as itself (a non-finite float as its text), a tensor or descriptor as an object."""
    match value:
        case TensorArgument():
            data = None if value.data is None else put(_DUMPS(value.data).encode())
            return {
                "kind": _TENSOR,
                "dtype": value.dtype,
                "shape": list(value.shape),
                "strides": list(value.strides),
                "address": value.address,
                "data": data,
            }
        case DescriptorArgument():
            return {
                "kind": _DESCRIPTOR,
                "tensor": encode_argument(value.tensor, put),
                "block_shape": list(value.block_shape),
                "layout": value.layout,
                "pixels": plain(value.pixels),
            }
        case float():
            return {"kind": "float", "value": repr(value)}
        case _:
            return value


def decode_argument(data: Any, get: Get) -> ArgumentValue:
    """The inverse of `encode_argument`; ValueError, KeyError or TypeError on anything else."""
    if not isinstance(data, dict):
        if data is None or isinstance(data, int | str):
            return data
        raise TypeError(f"not an argument: {data!r}")
    found = cast(dict[str, Any], data)
    match found["kind"]:
        case "tensor":
            return _decode_tensor(found, get)
        case "descriptor":
            return DescriptorArgument(
                _decode_tensor(found["tensor"], get),
                _ints(found["block_shape"]),
                str(found["layout"]),
                _decode_pixels(found.get("pixels")),
            )
        case "float":
            return float(found["value"])
        case kind:
            raise ValueError(f"unknown kind of argument {kind!r}")


def _decode_tensor(data: Mapping[str, Any], get: Get) -> TensorArgument:
    contents = None if data["data"] is None else _ints(parse_json(get(data["data"])))
    return TensorArgument(
        str(data["dtype"]),
        _ints(data["shape"]),
        _ints(data["strides"]),
        machine_integer(data["address"]),
        contents,
    )


def _decode_pixels(data: Mapping[str, Any] | None) -> PixelBox | None:
    """None for other descriptors, and for captures from before it was recorded."""
    return None if data is None else decode(PixelBox, data)


def _ints(values: Any) -> tuple[int, ...]:
    return tuple(machine_integer(value) for value in values)


def encode_launch(launch: Launch, put: Put) -> dict[str, Any]:
    """A launch as JSON."""
    return {
        "id": launch.id,
        "count": launch.count,
        "grid": None if launch.grid is None else list(launch.grid),
        "arguments": {name: encode_argument(value, put) for name, value in launch.arguments.items()},
        "assumed": list(launch.assumed),
        "trial": launch.trial,
    }


def decode_launch(data: Mapping[str, Any], get: Get) -> Launch:
    """The inverse of `encode_launch`."""
    grid = None if data["grid"] is None else _ints(data["grid"])
    arguments = {str(name): decode_argument(value, get) for name, value in data["arguments"].items()}
    if grid is not None and len(grid) != 3:
        raise ValueError(f"a grid has three dimensions, not {len(grid)}")
    if grid is not None and not all(0 <= axis <= MOST_PROGRAMS for axis in grid):
        raise ValueError(f"no grid: {grid}")
    assumed = tuple(str(name) for name in data.get("assumed", ()))
    axes = grid and (grid[0], grid[1], grid[2])
    return Launch(
        str(data["id"]),
        machine_integer(data["count"]),
        axes,
        arguments,
        assumed,
        trial=bool(data.get("trial", False)),
    )


_PLAIN = ("name", "target", "triton_version", "source_file", "source_line", "error", "compile_seconds")
_MAPS = ("constexprs", "signature", "metadata", "configuration")


def encode_kernel(kernel: CompiledKernel, put: Put) -> dict[str, Any]:
    """A kernel as JSON; stages, binary and dump go to blobs."""
    data: dict[str, Any] = {name: getattr(kernel, name) for name in _PLAIN}
    data |= {name: dict(getattr(kernel, name)) for name in _MAPS}
    data["stages"] = {stage: put(text.encode()) for stage, text in kernel.stages.items()}
    data["binary"] = put(kernel.binary) if kernel.binary else ""
    data["dump"] = put(kernel.dump.encode()) if kernel.dump else ""
    data["launches"] = [encode_launch(launch, put) for launch in kernel.launches]
    return data


def decode_kernel(data: Mapping[str, Any], get: Get) -> CompiledKernel:
    """The inverse of `encode_kernel`."""
    return CompiledKernel(
        name=str(data["name"]),
        target=str(data["target"]),
        triton_version=str(data["triton_version"]),
        stages={str(stage): _text(get(blob)) for stage, blob in data["stages"].items()},
        binaries={_kind(str(data["target"])): get(data["binary"])} if data["binary"] else {},
        dumps={PASSES: _text(get(data["dump"]))} if data["dump"] else {},
        constexprs={str(name): str(value) for name, value in data["constexprs"].items()},
        signature={str(name): str(value) for name, value in data["signature"].items()},
        metadata={str(name): _scalar(value) for name, value in data["metadata"].items()},
        launches=tuple(decode_launch(launch, get) for launch in data["launches"]),
        source_file=str(data["source_file"]),
        source_line=machine_integer(data["source_line"]),
        error=str(data["error"]),
        compile_seconds=None if data["compile_seconds"] is None else float(data["compile_seconds"]),
        configuration={str(name): str(value) for name, value in data.get("configuration", {}).items()},
    )


def _kind(target: str) -> str:
    return "hsaco" if target.startswith("hip") else "cubin"


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _scalar(value: Any) -> int | float | str | bool | None:
    if value is None or isinstance(value, int | float | str):
        return value
    raise TypeError(f"not a scalar: {value!r}")


def encode_error(error: ScriptError) -> dict[str, Any]:
    """A script's error as JSON."""
    return plain(error)


def decode_error(data: Mapping[str, Any]) -> ScriptError:
    """The inverse of `encode_error`."""
    return decode(ScriptError, data)
