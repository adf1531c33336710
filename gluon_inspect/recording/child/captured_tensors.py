"""Tensors that a function of FlexAttention captured, made its arguments, as Dynamo makes them.

In the graph such a function is a graph of its own, into which tensors come as inputs only.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from types import CellType, FunctionType
from typing import Any, cast

from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")


def install(patches: Patches) -> None:
    """Wraps the operator that attention becomes, where torch's own code calls it."""
    attention: Any = importlib.import_module("torch.nn.attention.flex_attention")
    operator = attention.flex_attention_hop

    def lifting(
        query: Any, key: Any, value: Any, score: Any, block_mask: Any, scale: Any, options: Any, *_: Any
    ) -> Any:
        *blocks, mask = block_mask
        score, of_score = lifted(score)
        mask, of_mask = lifted(mask)
        return operator(query, key, value, score, (*blocks, mask), scale, options, of_score, of_mask)

    patches.set(attention, "flex_attention_hop", lifting)


def lifted(function: Any) -> tuple[Any, tuple[Any, ...]]:
    """A function that takes the tensors it captured after its arguments, and these tensors."""
    tensors = tuple({id(tensor): tensor for tensor in _captured(function)}.values())
    if not tensors:
        return function, ()

    def with_tensors(*arguments: Any) -> Any:
        given = arguments[len(arguments) - len(tensors) :]
        replaced = {id(tensor): other for tensor, other in zip(tensors, given, strict=True)}
        return _rebuilt(function, replaced)(*arguments[: len(arguments) - len(tensors)])

    return with_tensors, tensors


def _contents(function: FunctionType) -> list[Any]:
    """What a function refers to from outside: its closure, and names of its module that stand for tensors."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return cells + list(_global_tensors(function).values())


def _global_tensors(function: FunctionType) -> dict[str, Any]:
    known = function.__globals__
    return {name: known[name] for name in function.__code__.co_names if isinstance(known.get(name), torch.Tensor)}


def _captured(function: Any) -> Iterator[Any]:
    """The tensors that a function refers to, and those that the functions it was given refer to."""
    for content in _contents(function) if isinstance(function, FunctionType) else ():
        for each in content if isinstance(content, tuple | list) else (content,):  # pyright: ignore[reportUnknownVariableType]
            if isinstance(each, torch.Tensor):
                yield each
            else:
                yield from _captured(each)


def _rebuilt(function: FunctionType, replaced: dict[int, Any]) -> Callable[..., Any]:
    def other(content: Any) -> Any:
        if isinstance(content, FunctionType):
            return _rebuilt(content, replaced)
        if isinstance(content, tuple | list):
            members = cast(Sequence[Any], content)
            return [other(each) for each in members] if isinstance(content, list) else tuple(map(other, members))
        return replaced.get(id(content), content)

    cells = tuple(CellType(other(cell.cell_contents)) for cell in function.__closure__ or ())
    names = function.__globals__ | {name: other(each) for name, each in _global_tensors(function).items()}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
