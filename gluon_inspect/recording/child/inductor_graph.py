"""A call of a function as one graph, and the code that Inductor makes of it.

The graph is traced by running the function on fake tensors, not by Dynamo: what depends on a tensor's contents
cannot stand in it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

from gluon_inspect.recording.child import captured_tensors
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
    functionalize: Any = importlib.import_module("torch._subclasses.functional_tensor").dispatch_functionalize
    fake_mode = tensors[0].fake_mode
    with fake_mode, virtualized.V.set_fake_mode(fake_mode), _as_compiled():
        graph = make_fx(functionalize(call.outputs), decompositions)(*tensors)
        passes.replace_random_passes(graph)
    _check(graph)
    return graph


def _check(graph: Any) -> None:
    values = [node.meta.get("val") for node in graph.graph.nodes]
    if any(isinstance(value, torch.Tensor) and value.device.type != "cuda" for value in values):
        raise NotRecordedError("it computes on the CPU as well")


@contextmanager
def _as_compiled() -> Generator[None]:
    """As under Dynamo: a kernel of the function's own becomes a node, attention hears that it is compiled."""
    jit: Any = importlib.import_module("triton.runtime.jit").JITFunction
    tuner: Any = importlib.import_module("triton.runtime.autotuner")
    with Patches() as patches:
        for owner in (jit, tuner.Autotuner, tuner.Heuristics):
            patches.set(owner, "run", _noted(owner.run))
        captured_tensors.install(patches)
        patches.set(torch.compiler, "is_dynamo_compiling", _yes)
        patches.set(torch.compiler, "is_compiling", _yes)
        yield


def _noted(run: Callable[..., Any]) -> Callable[..., Any]:
    def node(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        if warmup:
            return run(self, *args, grid=grid, warmup=warmup, **kwargs)
        return torch.library.wrap_triton(self)[grid](*args, **_defaults(self, len(args)) | kwargs)

    return node


def _defaults(kernel: Any, given: int) -> dict[str, Any]:
    """Parameters past the positional ones that have a default, which the node has to name."""
    set_by_configs = {name for config in getattr(kernel, "configs", ()) for name in config.kwargs}
    while not hasattr(kernel, "params"):
        kernel = kernel.fn
    rest = kernel.params[given:]
    return {p.name: p.default for p in rest if p.has_default and p.name not in set_by_configs}


def _yes() -> bool:
    return True


def _state(module: Any) -> dict[str, Any]:
    return dict(module.named_parameters()) | dict(module.named_buffers())


def _constant(leaf: Any) -> Any:
    return leaf if isinstance(leaf, int | float | str | bool | None) else id(leaf)
