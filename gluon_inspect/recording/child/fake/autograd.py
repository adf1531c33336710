"""Backward through fake cuda tensors, by walking the graph in Python.

torch's engine asks for the device's streams before it runs the first node, and a CPU build has no device.
The nodes themselves run anywhere, Python's autograd functions (and so their Triton kernels) included.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from gluon_inspect.recording.child.fake.dispatch import FakeTensor
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")

Edge = tuple[Any, int]


def install(patches: Patches) -> None:
    """Replaces torch.autograd's two entrances; tensors that are all real still go to torch's engine."""
    patches.set(torch.autograd, "backward", _backward(torch.autograd.backward))
    patches.set(torch.autograd, "grad", _grad(torch.autograd.grad))


def _backward(engine: Callable[..., Any]) -> Callable[..., None]:
    def backward(tensors: Any, grad_tensors: Any = None, *args: Any, **options: Any) -> None:
        roots = _sequence(tensors)
        if not any(map(_is_fake, roots)):
            return engine(tensors, grad_tensors, *args, **options)
        grads = _sequence(grad_tensors) if grad_tensors is not None else [None] * len(roots)
        _Walk({}, bool(options.get("create_graph"))).run(roots, grads)
        return None

    return backward


def _grad(engine: Callable[..., Any]) -> Callable[..., Any]:
    def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, *args: Any, **options: Any) -> Any:
        roots, wanted = _sequence(outputs), _sequence(inputs)
        if not any(map(_is_fake, roots)):
            return engine(outputs, inputs, grad_outputs, *args, **options)
        grads = _sequence(grad_outputs) if grad_outputs is not None else [None] * len(roots)
        accumulators = {id(node.variable): node for node in _below(roots) if hasattr(node, "variable")}
        edges = {_edge(tensor, accumulators): index for index, tensor in enumerate(wanted)}
        found = _Walk(edges, bool(options.get("create_graph"))).run(roots, grads)
        return tuple(found.get(index) for index in range(len(wanted)))

    return grad


def _is_fake(tensor: Any) -> bool:
    """Whether a fake cuda tensor is at the bottom, below functorch's wrappers."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return isinstance(tensor, FakeTensor)


def _sequence(tensors: Any) -> list[Any]:
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def _edge(tensor: Any, accumulators: Mapping[int, Any] | None = None) -> Edge:
    """Where a tensor's gradient arrives: its producer's output or, for a leaf, its accumulator (itself: none).

    Asking torch for a leaf's accumulator makes an operation, which transforms around it may see.
    """
    if tensor.grad_fn is not None:
        return tensor.grad_fn, int(tensor.output_nr)
    if accumulators is not None:
        return accumulators.get(id(tensor), tensor), 0
    return torch.autograd.graph.get_gradient_edge(tensor).node, 0


def _below(roots: Iterable[Any]) -> set[Any]:
    """Every node of the graph."""
    stack = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen = set(stack)
    while stack:
        following = {node for node, _ in stack.pop().next_functions if node is not None} - seen
        seen |= following
        stack.extend(following)
    return seen


class _Walk:
    """One backward pass; gradients at `wanted` edges are returned, at other leaves accumulated.

    With `differentiable` the pass itself can be differentiated (torch's create_graph).
    """

    def __init__(self, wanted: dict[Edge, int], differentiable: bool) -> None:
        self._wanted, self._differentiable = wanted, differentiable
        self._found: dict[int, Any] = {}
        self._pending: dict[Any, dict[int, Any]] = defaultdict(dict)
        self._waiting: dict[Any, int] = defaultdict(int)

    def run(self, roots: Sequence[Any], grads: Sequence[Any]) -> dict[int, Any]:
        """Walks every node below the roots once, after all that feed it."""
        starts = [_edge(root) for root in roots if root.requires_grad]
        self._count([node for node, _ in starts])
        with torch.set_grad_enabled(self._differentiable):
            for root, grad in zip(roots, grads, strict=True):
                if root.requires_grad:
                    self._add(_edge(root), torch.ones_like(root) if grad is None else grad)
            ready = [node for node in dict.fromkeys(node for node, _ in starts) if not self._waiting[node]]
            while ready:
                ready.extend(self._visit(ready.pop()))
        return self._found

    def _count(self, starts: list[Any]) -> None:
        stack, seen = list(dict.fromkeys(starts)), set(starts)
        while stack:
            for following, _ in stack.pop().next_functions:
                if following is None:
                    continue
                self._waiting[following] += 1
                if following not in seen:
                    seen.add(following)
                    stack.append(following)

    def _add(self, edge: Edge, grad: Any) -> None:
        node, index = edge
        before = self._pending[node].get(index)
        self._pending[node][index] = grad if before is None else before + grad

    def _visit(self, node: Any) -> list[Any]:
        """Runs one node; the nodes that are ready now."""
        grads = self._pending.pop(node, {})
        for index, grad in grads.items():
            if (place := self._wanted.get((node, index))) is not None:
                self._found[place] = grad
        ready: list[Any] = []
        for (following, index), grad in _aligned(node, self._results(node, grads)):
            if grad is not None:
                self._add((following, index), _fitted(following, index, grad))
            self._waiting[following] -= 1
            if not self._waiting[following]:
                ready.append(following)
        return ready

    def _results(self, node: Any, grads: dict[int, Any]) -> Sequence[Any]:
        none = [None] * len(node.next_functions)
        if not grads:
            return none
        if hasattr(node, "variable"):
            if not self._wanted:
                _accumulate(node.variable, grads[0])
            return none
        inputs = _inputs(node, grads)
        run = node.apply if isinstance(node, torch.autograd.function.BackwardCFunction) else node
        results: Any = run(*inputs)
        return cast(Sequence[Any], results) if isinstance(results, tuple | list) else (results,)


def _aligned(node: Any, results: Sequence[Any]) -> list[tuple[Edge, Any]]:
    """Results beside the edges that they go along.

    A Python function returns one gradient for every argument, its node has edges for tensors only; what both
    say of is what needs a gradient, in the same order.
    """
    edges: list[Edge] = [edge for edge in node.next_functions if edge[0] is not None]
    if isinstance(node, torch.autograd.function.BackwardCFunction):
        wanted = [grad for grad, needed in zip(results, node.needs_input_grad, strict=False) if needed]
    else:
        wanted = [g for g, edge in zip(results, node.next_functions, strict=False) if edge[0] is not None]
    wanted += [None] * (len(edges) - len(wanted))
    return list(zip(edges, wanted, strict=True))


def _fitted(node: Any, index: int, grad: Any) -> Any:
    """A gradient summed over what was broadcast, in the type of what it belongs to, as torch's engine does."""
    if hasattr(node, "variable"):
        shape, dtype = node.variable.shape, node.variable.dtype
    else:
        metadata: Sequence[Any] = getattr(node, "_input_metadata", ())
        if index >= len(metadata):
            return grad
        shape, dtype = metadata[index].shape, metadata[index].dtype
    grad = grad if tuple(grad.shape) == tuple(shape) else grad.sum_to_size(tuple(shape))
    return grad if grad.dtype == dtype else grad.to(dtype)


def _inputs(node: Any, grads: dict[int, Any]) -> list[Any]:
    """Gradients by output; a Python function gets zeros for outputs that nothing used, as torch gives it."""
    metadata: Sequence[Any] = getattr(node, "_input_metadata", ())
    count = max(len(metadata), max(grads) + 1)
    if not isinstance(node, torch.autograd.function.BackwardCFunction):
        return [grads.get(index) for index in range(count)]
    return [
        grads[index] if index in grads else _zeros(metadata[index]) if index < len(metadata) else None
        for index in range(count)
    ]


def _zeros(metadata: Any) -> Any:
    return torch.zeros(tuple(metadata.shape), dtype=metadata.dtype, device=metadata.device)


def _accumulate(variable: Any, grad: Any) -> None:
    variable.grad = grad.detach() if variable.grad is None else variable.grad + grad
