"""A launch's arguments in short."""

from gluon_inspect.model.artifact import ArgumentValue, DescriptorArgument, TensorArgument
from gluon_inspect.wording.characters import visible

_CHARACTERS = 60


def argument(value: ArgumentValue) -> str:
    """`float32[64x32] strides (1, 64)`; strides only where they are not row-major."""
    match value:
        case TensorArgument():
            return _tensor(value)
        case DescriptorArgument():
            block = "x".join(str(size) for size in value.block_shape)
            return f"descriptor({_tensor(value.tensor)}, block {block})"
        case str():
            return visible(value, _CHARACTERS)
        case _:
            return str(value)


def _tensor(tensor: TensorArgument) -> str:
    shape = "x".join(str(size) for size in tensor.shape)
    text = f"{visible(tensor.dtype, _CHARACTERS)}[{shape}]"
    return text if tensor.strides == _row_major(tensor.shape) else f"{text} strides {tensor.strides}"


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
