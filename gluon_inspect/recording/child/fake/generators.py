"""torch.Generator for cuda: a CPU generator takes its place, so that a seed still means something.

Its state is a GPU's: sixteen bytes, the seed and how many numbers were drawn.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.fake.aside import aside
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")
_Generator: Any = torch._C.Generator
_Meta: Any = type(_Generator)  # pyright: ignore[reportUnknownVariableType]
_DEFAULT_SEED = 67280421310721
"""c10::detail's default_rng_seed_val."""


class _AnyGenerator(_Meta):
    """torch's own generators are instances too."""

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, _Generator)


class Generator(_Generator, metaclass=_AnyGenerator):
    """A generator for any device; one for the CPU is torch's own."""

    def __new__(cls, device: Any = "cpu") -> Any:
        """A generator for `device`."""
        if torch.device(device).type != "cuda":
            return _Generator(device)
        made = _Generator.__new__(cls)
        made.manual_seed(_DEFAULT_SEED)
        return made

    @property
    def device(self) -> Any:
        """The only one."""
        return torch.device("cuda", 0)

    def manual_seed(self, seed: int) -> Any:
        """Starts anew from a seed."""
        self._seed, self._offset = int(seed) % (1 << 64), 0
        _Generator.manual_seed(self, seed)
        return self

    def seed(self) -> int:
        """torch's default seed again: a recording is the same each time."""
        self.manual_seed(_DEFAULT_SEED)
        return _DEFAULT_SEED

    def initial_seed(self) -> int:
        """The seed that it was given last."""
        return self._seed

    def get_offset(self) -> int:
        """How many numbers were drawn, as far as somebody counted."""
        return self._offset

    def set_offset(self, offset: int) -> None:
        """Sets how many numbers were drawn."""
        self._offset = int(offset)

    def get_state(self) -> Any:
        """Seed and offset, a CPU tensor of 16 bytes."""
        with aside():
            numbers = torch.tensor([_signed(self._seed), self._offset], dtype=torch.int64)
            return numbers.view(torch.uint8)

    def set_state(self, state: Any) -> Any:
        """What `get_state` gave."""
        with aside():
            seed, offset = state.clone().view(torch.int64).tolist()
        self.manual_seed(seed % (1 << 64))
        self._offset = offset
        return self

    def clone_state(self) -> Any:
        """A generator of its own in the same state."""
        return Generator("cuda").set_state(self.get_state())

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, other: Any) -> Any:
        """Takes over another's state."""
        return self.set_state(other.get_state())


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def install(patches: Patches) -> None:
    """Replaces the class where scripts name it, and torch.cuda's generators and seeds."""
    default = Generator("cuda")
    patches.set(torch, "Generator", Generator)
    patches.set(torch.cuda, "default_generators", (default,))

    def get_state(*_: Any, **__: Any) -> Any:
        return default.get_state()

    def set_state(state: Any, *_: Any, **__: Any) -> None:
        default.set_state(state)

    def get_states() -> list[Any]:
        return [default.get_state()]

    def set_states(states: list[Any]) -> None:
        default.set_state(states[0])

    def reseeded(*_: Any) -> None:
        default.seed()

    answers: dict[str, Callable[..., Any]] = {
        "get_rng_state": get_state,
        "set_rng_state": set_state,
        "get_rng_state_all": get_states,
        "set_rng_state_all": set_states,
        "manual_seed": default.manual_seed,
        "manual_seed_all": default.manual_seed,
        "seed": reseeded,
        "seed_all": reseeded,
        "initial_seed": default.initial_seed,
    }
    for name, answer in answers.items():
        patches.set(torch.cuda, name, answer)
        patches.set(torch.cuda.random, name, answer)
