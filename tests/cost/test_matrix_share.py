"""Matrix work of loops: cycles of the ISA documents, waits, and our own GEMM naive and pipelined."""

from dataclasses import replace

import pytest

from gluon_inspect import targets
from gluon_inspect.analyses.matrix_share import run
from gluon_inspect.assembly.amdgcn import parse_amdgcn
from gluon_inspect.assembly.isa.matrix import matrix_cycles
from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.cost.matrix_share import matrix_loops
from gluon_inspect.model.asm import Instruction
from tests.analyses.facts import NOTHING
from tests.data.asm import kernels

MI300 = targets.find("gfx942")


def instruction(text):
    opcode, _, operands = text.partition(" ")
    return Instruction(opcode, opcode.split(".")[0], tuple(operands.split(", ")), "", -1, text)


@pytest.mark.parametrize(
    ("target", "opcode", "passes"),
    # Passes of 4 cycles: ISA documents of MI200, MI300 and CDNA 4, table of matrix instructions.
    [
        ("hip:gfx90a", "v_mfma_f32_32x32x8f16", 16),
        ("hip:gfx90a", "v_mfma_f32_16x16x16f16", 8),
        ("hip:gfx90a", "v_mfma_f32_32x32x8bf16_1k", 16),
        ("hip:gfx942", "v_mfma_f32_32x32x8_f16", 8),
        ("hip:gfx942", "v_mfma_f32_16x16x16_f16", 4),
        ("hip:gfx942", "v_mfma_f32_32x32x16_fp8_bf8", 8),
        ("hip:gfx942", "v_mfma_f32_32x32x2_f32", 16),
        ("hip:gfx942", "v_mfma_f32_32x32x4_xf32", 8),
        ("hip:gfx942", "v_mfma_i32_32x32x16_i8", 8),
        ("hip:gfx942", "v_mfma_f32_4x4x4_16b_f16", 2),
        ("hip:gfx950", "v_mfma_f32_32x32x16_f16", 8),
    ],
)
def test_cycles_are_the_documented_passes(target, opcode, passes):
    assert matrix_cycles(target, instruction(f"{opcode} v[0:15], v[16:17], v[18:19], 0")) == 4 * passes


@pytest.mark.parametrize(
    ("target", "text", "cycles"),
    [
        # CDNA 4 ISA: "16 or 32", "32 or 64" cycles; LLVM's SISchedule: PredIsF8_MFMA_SCALE
        ("hip:gfx950", "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[4:7], v[0:3] cbsz:4 blgp:4", 16),
        ("hip:gfx950", "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:9], v[4:7], v[0:3] cbsz:2 blgp:4", 16),
        ("hip:gfx950", "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[4:11], v[0:3] cbsz:4", 32),
        ("hip:gfx950", "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[4:11], v[4:11], v[0:15], v5, v5", 64),
        # llvm-mca: gfx1250-wmma-cycles.s
        (
            "hip:gfx1250",
            "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:15], v[16:31], v[32:39] matrix_a_fmt:MATRIX_FMT_FP4",
            8,
        ),
        (
            "hip:gfx1250",
            "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:15], v[16:23], v[24:31] "
            "matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4",
            4,
        ),
        ("hip:gfx1250", "v_wmma_f32_16x16x64_bf8_bf8 v[16:23], v[0:7], v[8:15], v[16:23]", 4),
        ("hip:gfx1250", "v_wmma_i32_16x16x64_iu8 v[16:23], v[0:7], v[8:15], v[16:23]", 16),
        ("hip:gfx1250", "v_wmma_f32_16x16x32_bf16 v[16:23], v[0:7], v[8:15], v[16:23]", 8),
    ],
)
def test_cycles_follow_the_formats_of_the_operands(target, text, cycles):
    assert matrix_cycles(target, instruction(text)) == cycles


@pytest.mark.parametrize(
    ("target", "opcode", "cycles"),
    [
        ("cuda:80", "HMMA.16816.F32", 8),
        ("cuda:80", "HMMA.1688.F32.TF32", 8),
        ("cuda:90", "HGMMA.64x128x16.F32", 64),
        ("cuda:90", "QGMMA.64x128x32.F32.E4M3.E4M3", 64),
        ("cuda:121", "HMMA.16816.F32", None),
    ],
)
def test_tensor_core_cycles(target, opcode, cycles):
    assert matrix_cycles(target, instruction(f"{opcode} R0, R4, R8, R0")) == cycles


def loop(*body):
    lines = "\n".join(f"\t{each}" for each in body)
    text = f'\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n\t.type k,@function\nk:\n.LBB0_1:\n{lines}\n'
    return parse_amdgcn(f"{text}\ts_cbranch_scc1 .LBB0_1\n\ts_endpgm\n")


MFMA = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"


def test_matrix_work_alone_fills_the_loop():
    (found,) = matrix_loops(loop(*[MFMA] * 8), MI300)
    assert found.matrix_cycles == 256
    assert found.share > 0.95


def test_a_load_that_is_waited_for_at_once_costs_its_latency():
    body = ("global_load_dwordx4 v[20:23], v[24:25], off", "s_waitcnt vmcnt(0)", MFMA)
    (found,) = matrix_loops(loop(*body), MI300)
    assert found.memory_wait_cycles == pytest.approx(500 - 4)
    assert found.share < 0.1


def test_a_load_of_the_iteration_before_is_covered():
    body = (*[MFMA] * 8, "s_waitcnt vmcnt(1)", "global_load_dwordx4 v[20:23], v[24:25], off", *[MFMA] * 8)
    (found,) = matrix_loops(loop(*body), MI300)
    assert found.memory_wait_cycles == 0
    assert found.share > 0.9


def test_lds_traffic_is_bounded_by_its_bytes():
    """32 reads of 16 bytes a lane for each of four waves: 32 * 64 * 16 * 4 / 128 cycles."""
    body = (*["ds_read_b128 v[20:23], v24"] * 32, "s_waitcnt lgkmcnt(0)", MFMA)
    (found,) = matrix_loops(loop(*body), MI300)
    assert found.cycles >= 32 * 64 * 16 * 4 / 128
    assert found.lds_wait_cycles > found.issue_cycles


def test_split_counters_of_gfx12():
    text = (
        '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx1201"\n\t.type k,@function\nk:\n.LBB0_1:\n'
        "\tglobal_load_b128 v[20:23], v[24:25], off\n\tds_load_b128 v[26:29], v30\n\ts_wait_loadcnt_dscnt 0x100\n"
        "\tv_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]\n\ts_wait_loadcnt 0x0\n"
        "\ts_cbranch_scc1 .LBB0_1\n\ts_endpgm\n"
    )
    (found,) = matrix_loops(parse_amdgcn(text), targets.find("gfx1201"))
    assert found.lds_wait_cycles > 0
    assert found.memory_wait_cycles > 400


def test_loops_without_matrix_work_or_known_rate_are_no_rows():
    assert matrix_loops(loop("v_add_u32 v0, v1, v2"), MI300) == ()
    assert matrix_loops(loop(MFMA), targets.find("gfx1250")) == ()  # it has WMMA instead


def test_warp_loop_of_nvidia():
    lines = [".text.k:", ".L_x_0:", *["HMMA.16816.F32 R0, R4, R8, R0"] * 4, *["IMAD R9, R9, R9, R9"] * 59]
    text = "\n".join(f"/*{16 * n:04x}*/ {line} ;" if line[0] != "." else line for n, line in enumerate(lines))
    found = matrix_loops(parse_sass(f"{text}\n/*0800*/ @P0 BRA `(.L_x_0) ;\n"), targets.find("cuda:80"))
    assert [(each.matrix_cycles, each.issue_cycles) for each in found] == [(32, 64)]
    assert found[0].share == pytest.approx(0.5, abs=0.15)


@pytest.fixture(scope="module")
def gemms(tmp_path_factory):
    """Our own GEMM for gfx942 with one and with two stages."""
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    names = ("left", "right", "result", "K", "BLOCK", "STAGES")
    signature = dict(zip(names, ("*fp16", "*fp16", "*fp32", "i32", "constexpr", "constexpr"), strict=True))
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        for stages in (1, 2):
            constants = {"BLOCK": 64, "STAGES": stages}
            source = ASTSource(kernels.product, signature, constexprs=constants, attrs={
                (position,): [["tt.divisibility", 16]] for position in range(4)
            })  # fmt: skip
            compiled = triton.compile(source, target=GPUTarget("hip", "gfx942", 64))
            found[stages] = replace(NOTHING, target=MI300, assembly=parse_amdgcn(compiled.asm["amdgcn"]))
    return found


def test_naive_and_pipelined_gemm_in_order_with_their_reasons(gemms):
    naive, pipelined = (max(matrix_loops(gemms[n].assembly, MI300), key=lambda each: each.share) for n in (1, 2))
    assert naive.matrix_cycles == pipelined.matrix_cycles
    assert naive.share < pipelined.share
    assert naive.memory_wait_cycles > pipelined.memory_wait_cycles
    (finding,) = run(gemms[1]).findings
    assert (finding.rule, finding.severity, finding.model) == ("GI501", "note", "unvalidated")
    assert "for loads from memory" in finding.message
    assert "pipeline" in finding.help


def test_a_reload_of_a_spilled_register_is_no_load_from_memory():
    (found,) = matrix_loops(loop("scratch_load_dword v20, off, off", "s_waitcnt vmcnt(0)", MFMA), MI300)
    assert found.memory_wait_cycles == 0
    assert found.spill_wait_cycles == pytest.approx(120 - 4)
    assert found.spill_instructions == 1


def test_each_wait_says_what_it_waits_for_and_by_which_counter():
    body = ("ds_read_b128 v[20:23], v24", "global_load_dwordx4 v[20:23], v[24:25], off", "s_waitcnt lgkmcnt(0)",
            "s_waitcnt vmcnt(0)", MFMA)  # fmt: skip
    (found,) = matrix_loops(loop(*body), MI300)
    assert [(each.counter, each.kind, each.awaited.opcode) for each in found.waits] == [
        ("lgkmcnt", "LDS", "ds_read_b128"),
        ("vmcnt", "loads from memory", "global_load_dwordx4"),
    ]
    assert sum(each.cycles for each in found.waits) == found.memory_wait_cycles + found.lds_wait_cycles


def test_wide_reads_of_mi350_take_half_of_mi300s_time_and_stores_as_long():
    def waits(target, opcode):
        (found,) = matrix_loops(loop(*[opcode] * 32, "s_waitcnt lgkmcnt(0)", MFMA), target)
        return found.lds_wait_cycles - target.shared_latency_cycles

    mi350 = targets.find("gfx950")
    read, write = "ds_read_b128 v[20:23], v24", "ds_write_b128 v24, v[20:23]"
    assert waits(mi350, read) < 0.55 * waits(MI300, read)
    assert waits(mi350, write) == waits(MI300, write)


def test_s_nop_waits_its_slots_and_barriers_are_counted():
    (found,) = matrix_loops(loop("s_nop 7", "s_barrier", MFMA), MI300)
    assert (found.idle_cycles, found.barriers) == (8 * 4, 1)


def test_vector_work_runs_beside_mfma_but_not_beside_wmma_of_rdna():
    lines = ["v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", *["v_add_u32 v30, v30, v31"] * 32]
    (rdna,) = matrix_loops(loop(*lines), targets.find("gfx1100"))
    (cdna,) = matrix_loops(loop(MFMA, *["v_add_u32 v30, v30, v31"] * 8), MI300)
    assert rdna.cycles >= 32 + 32
    assert cdna.cycles < 32 + 8 * 4 + 8
