"""What Triton 3.6.0 compiled and an H200 counted for random kernels of our own (see ../data/shared/README.md)."""

import gzip
import json
from functools import cache

from gluon_inspect.model.artifact import CompiledKernel, Launch, TensorArgument
from tests.shared.kernels import DATA

_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8}


@cache
def load(name):
    """All cases of a recording."""
    with gzip.open(DATA / f"{name}.json.gz", "rt") as file:
        return json.load(file)


def argument(value, position):
    """A recorded argument; tensors are apart and aligned."""
    match value:
        case ["tensor", dtype, shape, strides, offset]:
            address = ((position + 1) << 36) + offset * _BYTES[dtype]
            return TensorArgument(dtype, tuple(shape), tuple(strides), address)
        case _:
            return value


def kernel_of(case):
    """A counted launch as a kernel with one launch."""
    arguments = {name: argument(value, i) for i, (name, value) in enumerate(case["arguments"].items())}
    launch = Launch("0", 1, (*case["grid"], 1, 1)[:3], arguments)
    metadata = {"num_warps": case["num_warps"], "shared": case["shared"]}
    stages = {"ttgir": case["ttgir"]}
    return CompiledKernel("k", "cuda:90", "3.6.0", stages, metadata=metadata, launches=(launch,))
