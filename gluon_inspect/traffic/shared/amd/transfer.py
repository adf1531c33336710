"""Transfers of an AMD wave: LDS instructions in place of LDS/STS, transposed reads, and what is known of them.

Instructions and their widths as Triton asks for them (lib/Conversion/TritonGPUToLLVM/Utility.cpp, `lowerLdSt`;
transposed reads: third_party/amd/lib/TritonAMDGPUToLLVM/MemoryOpToLLVM.cpp and the CDNA 4 ISA document,
ds_read_b64_tr_b16). LLVM may join two accesses into one two-address instruction, which serves both in turn.
"""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.ir.operations import amdg, tt, ttg
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.layouts.flat import FlatLayout, log2
from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.model.target import Target
from gluon_inspect.targets.lds import LdsKind, lds_rule
from gluon_inspect.traffic.placement import span
from gluon_inspect.traffic.shared.steps import Lowering, Step
from gluon_inspect.traffic.shared.transfer import NO_PADDING, Padding, Transfer

_TRANSPOSED_BITS = {"hip:gfx950": {16: 64, 8: 64}, "hip:gfx1250": {16: 128, 8: 64}}
"""Bits a lane of a transposed read, by target and element (CDNA 4 ISA: ds_read_b64_tr_*; GFX12.5: ds_load_tr*)."""
_ROW_LANES = 4
"""Lane bits of the 16 lanes that exchange their elements."""
_ASSUMED = {
    amdg.ASYNC_COPY_LOCAL_TO_GLOBAL: "how direct stores read LDS is not documented",
    ttg.CONVERT_LAYOUT: "the scratch is swizzled as Triton's published rules say, which were not checked on AMD",
    tt.SCAN: "scans are modelled as on NVIDIA",
    ttg.ASYNC_COPY_GLOBAL_TO_LOCAL: "how direct loads write LDS is not documented",
    amdg.BUFFER_LOAD_TO_LOCAL: "how direct loads write LDS is not documented",
}


def as_lds(row: OperationRow, lowering: Lowering, target: Target, *, two_address: bool) -> Lowering:
    """The same lowering of an operation with the instructions and the banks of an AMD target.

    `two_address`: LLVM joined its reads in pairs, which see other banks on MI350.
    """
    steps = tuple(_step(step, target, two_address=two_address) for step in lowering.steps)
    why = _ASSUMED.get(row, "") if steps else ""
    reason = lowering.reason if lowering.reason and not why else why
    return replace(lowering, steps=steps, assumed=lowering.assumed or bool(why), reason=reason)


def _step(step: Step, target: Target, *, two_address: bool) -> Step:
    if not isinstance(step.transfer, Transfer):
        return step
    transfer = lds_transfer(step.transfer, target, store=step.store, two_address=two_address)
    return replace(step, transfer=transfer)


def lds_transfer(transfer: Transfer, target: Target, *, store: bool, two_address: bool = False) -> Transfer:
    """A transfer with the banks and lane groups of its instruction on an AMD target."""
    if transfer.rule is not None:
        return transfer
    kind = LdsKind.WRITE if store else LdsKind.READ2 if two_address else LdsKind.READ
    return replace(
        transfer,
        mnemonic="ds_write" if store else "ds_read2" if two_address else "ds_read",
        memory=None,
        rule=lds_rule(target, transfer.bits, kind),
    )


def lds_status(lowering: Lowering) -> ModelStatus:
    """Documents stand behind it, or nothing: never more on AMD, since no card was at hand."""
    rules = [step.transfer.rule for step in lowering.steps if isinstance(step.transfer, Transfer)]
    measured = all(rule is None or rule.model is ModelStatus.DOCUMENTED for rule in rules)
    return ModelStatus.DOCUMENTED if measured and not lowering.assumed else ModelStatus.UNVALIDATED


def transposed_read(
    offsets: FlatLayout, element_bits: int, target: Target, padding: Padding = NO_PADDING
) -> Transfer | None:
    """ds_read_*_tr_* of a register -> offset map; None where target or layout do not have it.

    16 lanes read 16 columns of several rows, each lane neighbours of one row; the instruction hands out
    columns. So lanes run along what is contiguous in memory, and registers across it.
    """
    bits = _TRANSPOSED_BITS.get(target.name, {}).get(element_bits)
    if bits is None:
        return None
    layout = offsets.without_register_copies
    inner = log2(bits // element_bits)
    if layout.lane[:_ROW_LANES] != tuple(1 << bit for bit in range(_ROW_LANES)) or len(layout.register) < inner:
        return None
    rows, outer = layout.register[:inner], layout.register[inner:]
    others = (*rows, *outer, *layout.lane[_ROW_LANES:], *layout.warp)
    if any(basis & ((1 << inner) - 1) for basis in others) or padding.keeps_together < 1 << inner:
        return None
    lanes = (*layout.lane[inner:_ROW_LANES], *rows, *layout.lane[_ROW_LANES:])
    elements = span(outer)[:, None, None] ^ span(layout.warp)[None, :, None] ^ span(lanes)[None, None, :]
    rule = lds_rule(target, bits, LdsKind.READ_TRANSPOSED)
    return Transfer("ds_read_tr", bits, padding.apply(elements) * element_bits // 8, rule=rule)
