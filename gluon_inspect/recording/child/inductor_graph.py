"""A call of a function as one graph, and the code that Inductor makes of it.

The graph is traced by running the function on fake tensors, not by Dynamo: what depends on a tensor's contents,
and kernels that the function launches itself, cannot stand in it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")
_pytree: Any = importlib.import_module("torch.utils._pytree")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")
_stateless: Any = importlib.import_module("torch.nn.utils.stateless")
_FakeTensor: Any = importlib.import_module("torch._subclasses.fake_tensor").FakeTensor


class NotRecordedError(Exception):
    """Why a function is not compiled."""


class Call:
    """A function with its arguments; its tensors are those of the arguments and of the modules among them."""

    def __init__(self, function: Any, args: Any, kwargs: Any) -> None:
        self._function = function
        self._leaves, self._spec = _pytree.tree_flatten((args, kwargs))
        owners: list[Any] = [getattr(function, "__self__", None), *self._leaves]
        self._modules: list[Any] = [owner for owner in owners if isinstance(owner, torch.nn.Module)]

    def tensors(self) -> list[Any]:
        """Graph inputs, in the order in which `outputs` takes them."""
        own = [leaf for leaf in self._leaves if isinstance(leaf, torch.Tensor)]
        held = [tensor for module in self._modules for tensor in _state(module).values()]
        return [tensor.detach() for tensor in (*own, *held)]

    def key(self) -> Any:
        """Equal for calls that one graph serves."""
        tensors = tuple((tuple(t.shape), t.stride(), t.dtype, t.device) for t in self.tensors())
        others = tuple(_constant(leaf) for leaf in self._leaves if not isinstance(leaf, torch.Tensor))
        return tensors, others, str(self._spec), tuple(module.training for module in self._modules)

    def outputs(self, *tensors: Any) -> list[Any]:
        """The tensors that the function returns for other inputs of the same shapes."""
        rest = iter(tensors)
        leaves = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in self._leaves]
        args, kwargs = _pytree.tree_unflatten(leaves, self._spec)
        with ExitStack() as stack:
            for module in self._modules:
                state = {name: next(rest) for name in _state(module)}
                stack.enter_context(_stateless._reparametrize_module(module, state))
            returned = self._function(*args, **kwargs)
        return [leaf for leaf in _pytree.tree_leaves(returned) if isinstance(leaf, torch.Tensor)]


def compiled(call: Call, generated: Callable[[str], None]) -> Callable[[list[Any]], Any]:
    """Inductor's code for a call, to be given its tensors; `generated` is told its text.

    Raises NotRecordedError, and whatever the function and Inductor raise.
    """
    tensors = call.tensors()
    if not tensors or not all(isinstance(tensor, _FakeTensor) for tensor in tensors):
        raise NotRecordedError("not all of its tensors are on the GPU")
    inductor: Any = importlib.import_module("torch._inductor.compile_fx")
    lowering: Any = importlib.import_module("torch._inductor.graph").GraphLowering
    config: Any = importlib.import_module("torch._inductor.config")
    with _dispatch._disable_current_modes(), torch.no_grad(), Patches() as patches:
        patches.set(lowering, "save_output_code", staticmethod(generated))
        graph = _traced(call, tensors)
        with config.patch(fx_graph_cache=False, compile_threads=1):
            return inductor.compile_fx_inner(graph, tensors)


def _traced(call: Call, tensors: list[Any]) -> Any:
    make_fx: Any = importlib.import_module("torch.fx.experimental.proxy_tensor").make_fx
    decompositions: Any = importlib.import_module("torch._inductor.decomposition").select_decomp_table()
    virtualized: Any = importlib.import_module("torch._inductor.virtualized")
    passes: Any = importlib.import_module("torch._inductor.fx_passes.replace_random")
    fake_mode = tensors[0].fake_mode
    with fake_mode, virtualized.V.set_fake_mode(fake_mode), _no_launches():
        graph = make_fx(torch.func.functionalize(call.outputs), decompositions)(*tensors)
        passes.replace_random_passes(graph)
    _check(graph)
    return graph


def _check(graph: Any) -> None:
    values = [node.meta.get("val") for node in graph.graph.nodes]
    if any(isinstance(value, torch.Tensor) and value.device.type != "cuda" for value in values):
        raise NotRecordedError("it computes on the CPU as well")


@contextmanager
def _no_launches() -> Generator[None]:
    """A kernel of the function's own would be missing in the graph."""

    def refuse(*_: Any, **__: Any) -> None:
        raise NotRecordedError("it launches a Triton kernel of its own")

    jit: Any = importlib.import_module("triton.runtime.jit")
    with Patches() as patches:
        patches.set(jit.JITFunction, "run", refuse)
        yield


def _state(module: Any) -> dict[str, Any]:
    return dict(module.named_parameters()) | dict(module.named_buffers())


def _constant(leaf: Any) -> Any:
    return leaf if isinstance(leaf, int | float | str | bool | None) else id(leaf)
