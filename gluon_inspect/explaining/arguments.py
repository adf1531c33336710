"""Why the compiler does not know that an argument is a multiple of 16, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluon_inspect.model.artifact import ArgumentValue, TensorArgument
from gluon_inspect.model.report import KernelReport

_MULTIPLE = 16
"""What Triton specialises integers and addresses for; smaller powers of two are not recorded."""


def unknown_multiples(report: KernelReport, names: Sequence[str]) -> Iterator[str]:
    """One sentence for each argument whose divisibility is missing: its value, and the way out."""
    for name in names:
        if name in report.launch.arguments:
            yield _of(name, report.launch.arguments[name])


def _of(name: str, value: ArgumentValue) -> str:
    match value:
        case TensorArgument(address=address) if address % _MULTIPLE:
            return (
                f"`{name}` starts {address % _MULTIPLE} bytes past a multiple of {_MULTIPLE}, as `x[1:]` does: "
                f"pass the aligned tensor and an offset of a multiple of {_MULTIPLE} bytes, or copy it once."
            )
        case bool() | float() | str() | None:
            return f"Nothing is known of `{name}`."
        case int() if value % _MULTIPLE:
            return _odd(name, value)
        case _:
            shown = f"`{name}` is {value}" if isinstance(value, int) else f"`{name}` is aligned"
            return (
                f"{shown} in this launch, but the compiler was not told: the argument is excluded from "
                f"specialisation (do_not_specialize) or was computed. Let it be specialised, or state it: "
                f"`gl.multiple_of({name}, {_MULTIPLE})`."
            )


def _odd(name: str, value: int) -> str:
    known = value & -value
    above = -(-value // _MULTIPLE) * _MULTIPLE
    of = f"a multiple of {known}, but " if known > 1 else ""
    return (
        f"`{name}` is {value:,}, {of}no multiple of {_MULTIPLE}; the compiler records no smaller one, so that it "
        f"takes it to be any number. Pad to {above:,}."
    )
