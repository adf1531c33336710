"""mamba-ssm: its Triton operators (a checkout on the path; its package imports CUDA extensions)."""

import sys
import types

import torch
from calls import run, tensor

ROOT = next(path for path in sys.path if path.endswith("mamba"))
for name in ("mamba_ssm", "mamba_ssm.ops"):
    package = types.ModuleType(name)
    package.__path__ = [f"{ROOT}/{name.replace('.', '/')}"]
    sys.modules[name] = package

from mamba_ssm.ops.triton.layer_norm import layer_norm_fn, rms_norm_fn
from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn
from mamba_ssm.ops.triton.selective_state_update import selective_state_update
from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

F32 = torch.float32


def scan():
    x, dt, a = tensor(1, 256, 4, 64, grad=True), tensor(1, 256, 4, dtype=F32, grad=True), tensor(4, dtype=F32)
    b, c = tensor(1, 256, 1, 64, grad=True), tensor(1, 256, 1, 64, grad=True)
    return mamba_chunk_scan_combined(x, dt.sigmoid(), -a.exp(), b, c, chunk_size=64, D=tensor(4, dtype=F32))


run(
    {
        "layer_norm": lambda: layer_norm_fn(
            tensor(64, 512, grad=True), tensor(512, grad=True), tensor(512, grad=True), residual=tensor(64, 512)
        ),
        "rms_norm": lambda: rms_norm_fn(tensor(64, 512, grad=True), tensor(512, grad=True), None),
        "gated_rms_norm": lambda: rmsnorm_fn(
            tensor(64, 512, grad=True), tensor(512, grad=True), None, z=tensor(64, 512, grad=True)
        ),
        "state_update": lambda: selective_state_update(
            tensor(2, 64, 16, dtype=F32),
            tensor(2, 64),
            tensor(2, 64),
            tensor(64, 16, dtype=F32),
            tensor(2, 16),
            tensor(2, 16),
            tensor(64),
        ),
        "chunk_scan": scan,
    }
)
