import pytest

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.isa import InstructionKind
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.asm import Instruction, MemoryInstruction

G, S, T, C, K = Space.GLOBAL, Space.SHARED, Space.TENSOR, Space.CLUSTER, Space.SCALAR
LOAD, STORE, ATOMIC, COPY = Direction.LOAD, Direction.STORE, Direction.ATOMIC, Direction.COPY


def instruction(text, predicate=""):
    opcode, _, operands = text.partition(" ")
    return Instruction(
        opcode, opcode.split(".")[0], tuple(o.strip() for o in operands.split(",")), predicate, -1, text
    )


MEMORY = [
    ("sass", "LDG.E.128 R8, desc[UR4][R4.64]", G, LOAD, 128, None),
    ("sass", "LDG.E.U8.CONSTANT R8, desc[UR4][R4.64]", G, LOAD, 8, None),
    ("sass", "LDG.E.LTC128B.64 R8, [R4.64]", G, LOAD, 64, None),
    ("sass", "STG.E desc[UR4][R4.64], R9", G, STORE, 32, None),
    ("sass", "LDGSTS.E.BYPASS.LTC128B.128 [R1], desc[UR4][R2.64]", G, COPY, 128, S),
    ("sass", "LDS.U.128 R4, [R2]", S, LOAD, 128, None),
    ("sass", "STS.U16 [R2], R4", S, STORE, 16, None),
    ("sass", "LDSM.16.M88.4 R4, [R2]", S, LOAD, 128, None),
    ("sass", "LDSM.16.MT88.2 R4, [R2]", S, LOAD, 64, None),
    ("sass", "LDSM.16.M88 R4, [R2]", S, LOAD, 32, None),
    ("sass", "ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, R2, desc[UR4][R2.64], R5", G, ATOMIC, 32, None),
    ("sass", "REDG.E.ADD.64.STRONG.GPU desc[UR4][R2.64], R4", G, ATOMIC, 64, None),
    ("sass", "UTMALDG.2D [UR8], [UR4]", G, COPY, None, S),
    ("sass", "UTMASTG.2D [UR8], [UR4]", G, STORE, None, None),
    ("sass", "LDTM.x128 R4, tmem[UR4]", T, LOAD, 4096, None),
    ("sass", "STTM.16dp256bit.x8 tmem[UR4], R4", T, STORE, 1024, None),
    ("sass", "UTCCP.T.S.4x32dp128bit tmem[UR6], gdesc[UR4]", S, COPY, None, T),
    ("ptx", "ld.global.v4.b32 {%r1}, [%rd1]", G, LOAD, 128, None),
    ("ptx", "ld.global.L1::evict_last.b16 %rs1, [%rd1]", G, LOAD, 16, None),
    ("ptx", "st.shared.v2.b64 [%r1], {%rd1}", S, STORE, 128, None),
    ("ptx", "st.shared::cluster.b32 [%r1], %r2", C, STORE, 32, None),
    ("ptx", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1}, [%r5]", S, LOAD, 128, None),
    ("ptx", "cp.async.cg.shared.global [%r1], [%rd1], 0x10, %r2", G, COPY, 128, S),
    (
        "ptx",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1]",
        G,
        COPY,
        None,
        S,
    ),
    ("ptx", "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1], [%r1]", G, STORE, None, None),
    (
        "ptx",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1], [%r1]",
        G,
        ATOMIC,
        None,
        None,
    ),
    ("ptx", "atom.global.gpu.acq_rel.add.f32 %r1, [%rd1], %r2", G, ATOMIC, 32, None),
    ("ptx", "tcgen05.ld.sync.aligned.16x256b.x4.b32 {%r1}, [%r2]", T, LOAD, 512, None),
    ("amdgcn", "global_load_dwordx4 v[0:3], v[4:5], off", G, LOAD, 128, None),
    ("amdgcn", "global_load_b96 v[0:2], v[4:5], off", G, LOAD, 96, None),
    ("amdgcn", "buffer_load_ubyte v0, v1, s[4:7], 0 offen", G, LOAD, 8, None),
    ("amdgcn", "buffer_load_dwordx4 v1, s[4:7], 0 offen lds", G, COPY, 128, S),
    ("amdgcn", "global_load_lds_dwordx4 v[2:3], off", G, COPY, 128, S),
    ("amdgcn", "global_load_async_to_lds_b128 v20, v[128:129], off", G, COPY, 128, S),
    ("amdgcn", "tensor_load_to_lds s[0:3], s[4:11]", G, COPY, None, S),
    ("amdgcn", "global_store_d16_hi_b16 v[0:1], v2, off", G, STORE, 16, None),
    ("amdgcn", "buffer_store_short v0, v1, s[4:7], 0 offen", G, STORE, 16, None),
    ("amdgcn", "ds_read2st64_b64 v[0:3], v4 offset1:8", S, LOAD, 128, None),
    ("amdgcn", "ds_load_2addr_b32 v[0:1], v4 offset1:8", S, LOAD, 64, None),
    ("amdgcn", "ds_store_2addr_stride64_b64 v4, v[0:1], v[2:3] offset1:8", S, STORE, 128, None),
    ("amdgcn", "ds_read_b64_tr_b16 v[0:1], v2", S, LOAD, 64, None),
    ("amdgcn", "ds_load_tr16_b128 v[0:3], v2", S, LOAD, 128, None),
    ("amdgcn", "ds_read_u16_d16_hi v0, v2", S, LOAD, 16, None),
    ("amdgcn", "ds_write_b8 v0, v2", S, STORE, 8, None),
    ("amdgcn", "ds_add_rtn_u32 v0, v1, v2", S, ATOMIC, 32, None),
    ("amdgcn", "global_atomic_add_f32 v[0:1], v2, off", G, ATOMIC, 32, None),
    ("amdgcn", "global_atomic_cmpswap_x2 v[0:1], v[2:5], off", G, ATOMIC, 64, None),
    ("amdgcn", "s_load_dwordx8 s[4:11], s[0:1], 0x0", K, LOAD, 256, None),
]


@pytest.mark.parametrize(("dialect", "text", "space", "direction", "bits", "destination"), MEMORY)
def test_memory_instructions(dialect, text, space, direction, bits, destination):
    found = isa.classify(dialect, instruction(text))
    assert found == MemoryInstruction(space, direction, bits, destination)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("sass", "LDL.LU.64 R2, [R1+0x8]"),
        ("sass", "STL [R1], R2"),
        ("ptx", "st.local.b32 [%rd1], %r1"),
        ("amdgcn", "scratch_load_dwordx4 v[0:3], off, s32"),
    ],
)
def test_stack_instructions_are_no_global_accesses(dialect, text):
    assert isa.classify(dialect, instruction(text)).local
    assert isa.kind_of(dialect, instruction(text)) is InstructionKind.LOCAL


@pytest.mark.parametrize(
    ("dialect", "text", "kind"),
    [
        ("sass", "LDC.64 R2, c[0x0][0x210]", InstructionKind.ARITHMETIC),
        ("sass", "HGMMA.64x128x16.F32 R24, gdesc[UR8], R24", InstructionKind.MATRIX),
        ("sass", "UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8]", InstructionKind.MATRIX),
        ("sass", "HMMA.16816.F32 R4, R4, R8, R12", InstructionKind.MATRIX),
        ("sass", "LDGDEPBAR", InstructionKind.BARRIER),
        ("sass", "SHFL.BFLY PT, R2, R3", InstructionKind.SHUFFLE),
        ("sass", "F2FP.F16.F32.PACK_AB R1, R2, R3", InstructionKind.CONVERSION),
        ("sass", "BRA `(.L_x_0)", InstructionKind.CONTROL),
        ("ptx", "ld.param.b64 %rd1, [k_param_0]", InstructionKind.ARITHMETIC),
        ("ptx", "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%r1}", InstructionKind.MATRIX),
        ("ptx", "wgmma.fence.sync.aligned", InstructionKind.BARRIER),
        ("ptx", "cp.async.commit_group", InstructionKind.BARRIER),
        ("amdgcn", "v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], 0", InstructionKind.MATRIX),
        ("amdgcn", "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15]", InstructionKind.MATRIX),
        ("amdgcn", "s_waitcnt vmcnt(0)", InstructionKind.BARRIER),
        ("amdgcn", "s_wait_loadcnt 0x0", InstructionKind.BARRIER),
        ("amdgcn", "ds_bpermute_b32 v0, v1, v2", InstructionKind.SHUFFLE),
        ("amdgcn", "buffer_inv sc1", InstructionKind.BARRIER),
        ("amdgcn", "x_unheard_of v0", InstructionKind.OPAQUE),
    ],
)
def test_what_touches_no_data_memory(dialect, text, kind):
    assert isa.classify(dialect, instruction(text)) is None
    assert isa.kind_of(dialect, instruction(text)) is kind


@pytest.mark.parametrize(
    ("dialect", "text", "name"),
    [
        ("sass", "LDG.E.128.CONSTANT R8, [R4]", "LDG.E.128"),
        ("sass", "LDG.E.128.SYS R8, [R4]", "LDG.E.128"),
        ("sass", "LDG.E R8, [R4]", "LDG.E"),
        ("sass", "LDGSTS.E.BYPASS.LTC128B.128 [R1], [R2]", "LDGSTS.E.BYPASS.128"),
        ("sass", "ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, R2", "ATOMG.E.ADD.F32.FTZ.RN"),
        ("sass", "HGMMA.64x128x16.F32 R24, R4, R24", "HGMMA.64x128x16.F32"),
        ("sass", "IMAD.WIDE.U32 R2, R3, R4", "IMAD"),
        ("ptx", "ld.global.L1::evict_last.v4.b32 {%r1}, [%rd1]", "ld.global.v4.b32"),
        ("ptx", "mul.wide.u32 %rd1, %r1, 4", "mul"),
        ("amdgcn", "v_mov_b32_e32 v0, v1", "v_mov_b32"),
        ("amdgcn", "buffer_load_dwordx4 v1, s[4:7], 0 offen lds", "buffer_load_dwordx4 lds"),
        ("amdgcn", "global_load_lds_dwordx4 v[2:3], off", "global_load_lds_dwordx4"),
    ],
)
def test_counted_names(dialect, text, name):
    assert isa.counted_name(dialect, instruction(text)) == name


def test_dummies_never_execute():
    assert not isa.is_executed(instruction("LDS RZ, [RZ]", "@!PT"))
    assert isa.is_executed(instruction("LDS R1, [R2]", "@!P0"))
