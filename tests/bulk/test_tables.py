"""Every operation of the dialects for data movement is understood, or listed as having no model; never neither."""

import gzip
import json
import re
from pathlib import Path

import pytest

from gluon_inspect import targets
from gluon_inspect.facts.movement import IN_REGISTERS, MOVING, moving_operations
from gluon_inspect.ir.operations import all_rows, lookup, ttng
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.pipeline import inspect
from gluon_inspect.traffic.shared.lowering import SHARED_OPS
from gluon_inspect.traffic.tensor.mma import TENSOR_MMAS
from tests.truth.cases import SHARED

DOCS = Path(__file__).parents[2] / "docs" / "data-movement.md"
CORPUS = SHARED / "corpus" / "upstream.jsonl.gz"
needs_corpus = pytest.mark.skipif(not CORPUS.is_file(), reason="../shared/corpus (IR of others) is absent")

NAMES = {
    "amdg": """
        arrive_barrier async_copy_local_to_global async_copy_mbarrier_arrive
        async_tdm_copy_global_to_local async_tdm_copy_local_to_global
        async_tdm_fused_copy_global_to_local async_tdm_gather async_tdm_intrinsic_wait
        async_tdm_scatter async_tdm_wait async_wait cluster_barrier_arrive cluster_barrier_wait
        buffer_atomic_cas buffer_atomic_rmw buffer_load buffer_load_to_local buffer_store
        concat cond_barrier extract_slice in_thread_transpose init_barrier
        local_load_packed_transposed masked_load masked_store memory_counter_wait
        scaled_downcast_fp4 scaled_downcast_fp8 scaled_upcast_fp4 scaled_upcast_fp8 tdm_prefetch
        update_tensor_descriptor wait_barrier
    """,
    "gluon": """
        set_auto_layout
    """,
    "nvws": """
        aref.buffer aref.create aref.get.enter aref.get.exit aref.phi aref.put.enter aref.put.exit
        clc_try_cancel consumer_release consumer_wait create_token descriptor_load producer_acquire
        producer_commit warp_group warp_group.return
    """,
    "ttng": """
        arrive_barrier async_copy_mbarrier_arrive async_shared_store async_tma_copy_global_to_local
        async_tma_copy_local_to_global async_tma_gather async_tma_reduce async_tma_scatter
        async_tma_store_wait barrier_expect clc_get_program_id clc_is_canceled clc_load_result
        clc_try_cancel clc_try_cancel_sync cluster_barrier fence_async_shared
        fence_mbarrier_init_release_cluster init_barrier inval_barrier packed_arith
        reinterpret_tensor_descriptor tc_gen5_commit tc_gen5_mma tc_gen5_mma_scaled tensormap_create
        tensormap_fenceproxy_acquire tmem_alloc tmem_copy tmem_load tmem_store tmem_subslice
        wait_barrier warp_group_dot warp_group_dot_wait
    """,
}
KNOWN = frozenset(f"{dialect}.{name}" for dialect, names in NAMES.items() for name in names.split())


def listed():
    section = DOCS.read_text().partition("## Operations without a model")[2]
    return set(re.findall(r"`(\w+\.[\w.]+)`", section))


def entries():
    with gzip.open(CORPUS, "rt") as file:
        for line in file:
            entry = json.loads(line)
            if entry["ok"]:
                yield entry


def test_every_operation_has_a_row():
    assert len(KNOWN) > 70
    assert [name for name in sorted(KNOWN) if lookup(name) is None] == []


def test_what_moves_data_has_a_record_or_is_listed():
    moving = [row for row in all_rows() if row.kind in MOVING and row not in IN_REGISTERS]
    tensor = (*TENSOR_MMAS, ttng.TMEM_COPY)
    without = {
        row.name for row in moving if not (row.is_global_access or row.tensor or row in (*SHARED_OPS, *tensor))
    }
    assert without == listed()


@needs_corpus
def test_the_corpus_holds_nothing_else():
    names = {name for entry in entries() for name in entry["ops"] if name.partition(".")[0] in NAMES}
    assert names - KNOWN == set()


@needs_corpus
def test_operations_of_the_corpus_are_recorded_or_listed():
    wanted = {name for name in KNOWN if lookup(name).kind in MOVING}
    chosen = [entry for entry in entries() if wanted & set(entry["ops"])]
    assert len(chosen) > 100
    for entry in chosen:
        kernel = CompiledKernel("kernel", target(entry["ir"]), "3.9.0", {"ttgir": entry["ir"]})
        check(inspect(Capture("corpus", (kernel,))).kernels[0], entry)


def target(text):
    """The module's own target where it is one of ours, else one with all of the operations."""
    found = re.search(r'"((?:cuda:|hip:gfx)\w+)"', text)
    own = {each.name for each in targets.ALL}
    return found.group(1) if found and found.group(1) in own else "cuda:100"


def check(report, entry):
    """Each moving operation has a record with numbers or a reason, or its name in the list."""
    recorded = {access.result_of: access for access in report.accesses}
    for op in moving_operations(parse_module(entry["ir"])):
        if op.span.start in recorded:
            access = recorded[op.span.start]
            assert access.confidence != "unknown" or access.reason, (op.name, entry["file"])
        else:
            assert op.name in report.coverage.unmodelled, (op.name, entry["file"])
