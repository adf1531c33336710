"""The run-time parameters of a kernel in IR, by their Python names, and values given for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gluon_inspect.errors import UsageError
from gluon_inspect.loading.texts import SYMBOL
from gluon_inspect.model.artifact import ArgumentValue, TensorArgument
from gluon_inspect.source import whole

_HEADER = re.compile(rf"\btt\.func\s+(?:public\s+)?{SYMBOL}\(")
_PARAMETER = re.compile(r"\s*%([\w$.-]+)\s*:\s*([\s\S]*)")
_NAMED = re.compile(r"loc\(\"([^\"]+)\"\(")
_ALIAS = re.compile(r"loc\((#\w+)\)\s*$")
_POINTER = re.compile(r"!tt\.ptr<([\w]+)")
_ANONYMOUS = re.compile(r"arg\d+|\d+")
_INTEGER = re.compile(r"i(\d{1,2})")
_OPEN, _CLOSE = "([{<", ")]}>"
_MOST_BITS = 512
_ADDRESS_BITS = 63
_DTYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "i1": "bool",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """`pointee` is the element's torch dtype for a pointer, empty for anything else.

    `name` is the Python name, `value` the SSA name without its sign.
    """

    name: str
    type: str
    pointee: str = ""
    value: str = ""


def parameters(text: str) -> tuple[Parameter, ...]:
    """The first function's parameters; empty for text that has none."""
    header = _HEADER.search(text)
    if header is None:
        return ()
    return tuple(_parameter(piece, text) for piece in _pieces(text, header.end()) if "%" in piece)


def _pieces(text: str, start: int) -> Iterator[str]:
    """The comma-separated parts of a bracketed list whose opening bracket ends before `start`."""
    depth, begin, quoted = 0, start, False
    for at in range(start, len(text)):
        character = text[at]
        if character == '"':
            quoted = not quoted
        elif quoted or text[at - 1 : at + 1] == "->":
            continue
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE and depth == 0:
            yield text[begin:at]
            return
        elif character in _CLOSE:
            depth -= 1
        elif character == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1


def _parameter(piece: str, text: str) -> Parameter:
    match = _PARAMETER.match(piece)
    name, rest = (match[1], match[2]) if match else ("", piece)
    pointer = _POINTER.match(rest)
    kind = rest.split(" loc(")[0].split(" {")[0].strip()
    pointee = _DTYPES.get(pointer[1], pointer[1]) if pointer else ""
    return Parameter(_python_name(name, rest, text), kind, pointee, name)


def _python_name(name: str, rest: str, text: str) -> str:
    """The location's name before the SSA name: the printer may have made the latter up."""
    named = _NAMED.search(rest)
    if named is None and (alias := _ALIAS.search(rest)):
        named = re.search(rf"^{re.escape(alias[1])} = loc\(\"([^\"]+)\"\(", text, re.MULTILINE)
    if named is not None:
        return named[1]
    return name if not _ANONYMOUS.fullmatch(name) else f"arg{name.removeprefix('arg')}"


def bind(
    known: tuple[Parameter, ...], given: Mapping[str, int | float | bool]
) -> tuple[dict[str, ArgumentValue], tuple[str, ...]]:
    """Values by parameter, in the kernel's order, and notes on what was ignored.

    A pointer's value is its base address. Raises one UsageError for all names that are no parameters, unless
    their value is 1: Triton specialises such arguments away, so the IR cannot have them.
    """
    names = {parameter.name for parameter in known}
    absent = {name: value for name, value in given.items() if name not in names}
    if wrong := [repr(name) for name, value in absent.items() if value != 1]:
        raise UsageError(f"the kernel has no parameter {' or '.join(wrong)}", hint=_hint(known))
    notes = tuple(
        f"{name}=1 was ignored: the IR has no such parameter (Triton specialises 1 away)" for name in absent
    )
    return {p.name: _value(p, given[p.name]) for p in known if p.name in given}, notes


def _hint(known: tuple[Parameter, ...]) -> str:
    if not known:
        return "what was given holds no IR, so nothing is known of its parameters"
    return "its parameters are " + ", ".join(f"{p.name}: {p.type}" for p in known)


def _value(parameter: Parameter, value: int | float | bool) -> ArgumentValue:
    if not parameter.pointee:
        return float(value) if parameter.type in ("f32", "f64", "f16", "bf16") else _whole(parameter, value)
    if not isinstance(value, int) or not 0 <= value < 1 << _ADDRESS_BITS:
        raise UsageError(f"{parameter.name} is a pointer: {value} is no address")
    return TensorArgument(parameter.pointee, (), (), int(value))


def _whole(parameter: Parameter, value: int | float | bool) -> int | float | bool:
    """A value that an integer parameter can hold, signed or not; other types are left to what reads them."""
    bits = _INTEGER.fullmatch(parameter.type)
    if bits is None:
        return value
    size = whole(bits[1])
    if not isinstance(value, int) or not 0 < size <= _MOST_BITS or not -(1 << size - 1) <= value < 1 << size:
        raise UsageError(f"{parameter.name} is an {parameter.type}: {value} does not fit")
    return value
