from pathlib import Path

import pytest

from gluon_inspect.assembly.amdgcn import looks_like_amdgcn, parse_amdgcn
from gluon_inspect.errors import ParseError

DATA = Path(__file__).parents[1] / "data" / "asm"


def read(name):
    return (DATA / name).read_text()


def test_a_whole_kernel():
    assembly = parse_amdgcn(read("helper.gfx942.amdgcn"))
    assert assembly.metadata == {"architecture": "gfx942"}
    (function,) = assembly.functions
    assert function.name == "helper"
    load = next(each for each in function.instructions if each.opcode.startswith("buffer_load"))
    assert load.opcode == "buffer_load_dwordx2"
    assert load.operands[-1].endswith("offen")
    assert [(place.file, place.line, place.column) for place in load.location.chain] == [
        ("kernels.py", 9, 12),
        ("kernels.py", 15, 13),
    ]


def test_library_callers_keep_their_paths():
    (function,) = parse_amdgcn(read("helper.gfx942.amdgcn")).functions
    chains = [each.location.chain for each in function.instructions if each.location and each.location.callers]
    innermost, *_, outermost = max(chains, key=len)
    assert innermost.file == "/site-packages/triton/language/standard.py"
    assert (outermost.file, outermost.line) == ("kernels.py", 16)


def test_resources():
    metadata = parse_amdgcn(read("helper.gfx942.amdgcn")).functions[0].metadata
    assert metadata["entry"] == 1
    assert metadata["wave_size"] == 64
    assert metadata["registers"] == metadata["vgprs"] == 14
    assert metadata["agprs"] == metadata["vgpr_spills"] == metadata["scratch_bytes"] == metadata["lds_bytes"] == 0
    assert metadata["waves_per_simd"] == 8


def test_kernel_and_called_function():
    functions = {each.name: each for each in parse_amdgcn(read("outlined.gfx1250.amdgcn")).functions}
    kernel = functions.pop("outlined")
    (callee,) = functions.values()
    assert kernel.metadata["entry"] == 1
    assert "entry" not in callee.metadata
    assert callee.instructions[-1].opcode.startswith("s_set")


def test_agprs_and_spills_are_read():
    text = """
\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
\t.type k,@function
k:
\tscratch_store_dwordx4 off, v[0:3], s32 offset:16 sc0 ; 16-byte Folded Spill
\tv_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:1
.LBB0_1:
\ts_endpgm
.Lfunc_end0:
; Kernel info:
; NumVgprs: 61
; NumAgprs: 32
; TotalNumVgprs: 96
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     32
    .args:
      - .offset:         0
        .name:           other
    .name:           k
    .private_segment_fixed_size: 68
    .vgpr_count:     96
    .vgpr_spill_count: 17
  - .agpr_count:     0
    .name:           other_kernel
    .vgpr_count:     8
...
\t.end_amdgpu_metadata
"""
    (function,) = parse_amdgcn(text).functions
    assert function.labels == {".LBB0_1": 2}
    assert function.metadata == {
        "vgprs": 61, "agprs": 32, "registers": 96, "vgpr_spills": 17, "scratch_bytes": 68,
    }  # fmt: skip
    assert function.instructions[1].operands == ("a[0:15]", "v[0:1]", "v[2:3]", "a[0:15] cbsz:1")


def test_objdump_offsets():
    text = (
        "k.o:\tfile format elf64-amdgpu\n\n0000000000001900 <k>:\n"
        "\tv_mov_b32_e32 v0, 0                                // 000000001900: 7E000280\n"
        "\ts_endpgm                                           // 000000001904: BF810000\n"
    )
    (function,) = parse_amdgcn(text).functions
    assert function.name == "k"
    assert [each.offset for each in function.instructions] == [0x1900, 0x1904]
    assert function.instructions[0].operands == ("v0", "0")


@pytest.mark.parametrize("text", ["", "hello", '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n'])
def test_other_text_is_refused(text):
    with pytest.raises(ParseError) as error:
        parse_amdgcn(text, "k.s")
    assert error.value.position.file == "k.s"


def test_detection():
    assert looks_like_amdgcn(read("helper.gfx1250.amdgcn"))
    assert not looks_like_amdgcn(read("helper.ptx"))
