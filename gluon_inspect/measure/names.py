"""Counters by the names this project uses, and what the profilers call them."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.model.cost import Stall

NCU: Mapping[str, str] = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_wavefronts": "memory_l1_wavefronts_shared",
    "shared_wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "registers_per_thread": "launch__registers_per_thread",
    "warps_active": "sm__warps_active.avg.per_cycle_active",
    "ctas_limit_registers": "launch__occupancy_limit_registers",
    "ctas_limit_shared": "launch__occupancy_limit_shared_mem",
    "ctas_limit_warps": "launch__occupancy_limit_warps",
    "ctas_limit_blocks": "launch__occupancy_limit_blocks",
    "time_ns": "gpu__time_duration.sum",
}
"""Nsight Compute's metric of each counter (Kernel Profiling Guide, metrics reference)."""

NCU_SHARED = ("launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic")
"""Bytes of shared memory a CTA asks for; what the driver adds is not among them."""

NCU_SOURCE: Mapping[str, str] = {
    "executed": "inst_executed",
    "lines": "memory_l1_tag_requests_global",
    "sectors": "memory_l2_theoretical_sectors_global",
    "sectors_ideal": "memory_l2_theoretical_sectors_global_ideal",
    "wavefronts": "memory_l1_wavefronts_shared",
    "wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
}
"""The same for metrics with one value an instruction (section SourceCounters)."""

NCU_STALLS: Mapping[str, str] = {
    ours: f"smsp__pcsamp_warps_issue_stalled_{theirs}"
    for ours, theirs in {
        Stall.WAIT: "wait",
        Stall.LONG_SCOREBOARD: "long_scoreboard",
        Stall.SHORT_SCOREBOARD: "short_scoreboard",
        Stall.MATH: "math_pipe_throttle",
        Stall.NOT_SELECTED: "not_selected",
        Stall.BARRIER: "barrier",
        Stall.GMMA: "warpgroup_arrive",
        Stall.MIO: "mio_throttle",
        Stall.LG: "lg_throttle",
        Stall.BRANCH: "branch_resolving",
        Stall.NO_INSTRUCTION: "no_instructions",
        "selected": "selected",
        "dispatch": "dispatch_stall",
        "drain": "drain",
        "constant miss": "imc_miss",
        "membar": "membar",
        "misc": "misc",
        "sleeping": "sleeping",
        "texture": "tex_throttle",
    }.items()
}
"""Samples of an instruction by what its warp waited for (section SourceCounters)."""

ROCPROF: Mapping[str, str] = {
    "SQ_INSTS_VMEM_RD": "vector_memory_reads",
    "SQ_INSTS_VMEM_WR": "vector_memory_writes",
    "SQ_INSTS_LDS": "lds_instructions",
    "SQ_LDS_IDX_ACTIVE": "lds_cycles",
    "SQ_LDS_BANK_CONFLICT": "lds_conflict_cycles",
    "SQC_LDS_IDX_ACTIVE": "lds_cycles",
    "SQC_LDS_BANK_CONFLICT": "lds_conflict_cycles",
    "TCP_TCC_READ_REQ_sum": "l2_read_requests",
    "TCP_TCC_WRITE_REQ_sum": "l2_write_requests",
    "TCC_EA0_RDREQ_sum": "dram_reads",
    "TCC_EA0_WRREQ_sum": "dram_writes",
    "VGPR_Count": "vector_registers_allocated",
    "Accum_VGPR_Count": "accumulation_registers_allocated",
    "SGPR_Count": "scalar_registers_allocated",
    "LDS_Block_Size": "shared_bytes",
    "Scratch_Size": "spill_bytes",
}
"""This project's name of each of rocprofv3's counters and columns (ROCm documentation: MI300 and MI200 series
performance counters; RDNA 3 and 4 name the LDS's SQC_)."""


def ours(names: Mapping[str, str], theirs: str) -> str | None:
    """This project's name of a profiler's counter; None if it is not among them."""
    return next((name for name, each in names.items() if each == theirs), None)
