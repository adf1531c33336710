"""Files of every kind, made by compiling one small kernel, read back by their content."""

from __future__ import annotations

import gzip
import json
import re
import tracemalloc
from pathlib import Path

import pytest

from gluon_inspect.assembly.amdgcn import parse_amdgcn
from gluon_inspect.assembly.binary import read_binary
from gluon_inspect.cli import main
from gluon_inspect.errors import CaptureError, InspectError, ParseError, UsageError
from gluon_inspect.loading import load
from gluon_inspect.loading.content import machine_integer, parse_json
from gluon_inspect.loading.kind import Kind, detect
from gluon_inspect.loading.parameters import parameters
from gluon_inspect.model.artifact import Capture, CompiledKernel, TensorArgument
from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, COPY, write

SCRIPT = (
    COPY
    + ADD.split("language as gl\n")[1]
    + """
x = torch.ones(256, device="cuda")
copy[(1,)](x, x, 250, 256, LAYOUT)
add[(1,)](x, x, x, 250)
"""
)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return record(write(tmp_path_factory.mktemp("files"), SCRIPT), "cuda:90")


@pytest.fixture(scope="module")
def amd(tmp_path_factory: pytest.TempPathFactory) -> CompiledKernel:
    script = ADD + "x = torch.ones(256, device='cuda')\nadd[(1,)](x, x, x, 250)\n"
    return record(write(tmp_path_factory.mktemp("amd"), script), "hip:gfx942").kernels[0]


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_ir_brings_its_facts_and_sources(tmp_path: Path, compiled: Capture) -> None:
    path = put(tmp_path, "k.ttgir", compiled.kernels[0].stages["ttgir"])
    (kernel,) = load(path).kernels
    assert (kernel.name, kernel.target, kernel.metadata["num_warps"]) == ("copy", "cuda:90", 4)
    assert list(kernel.stages) == ["ttgir"]
    assert load(path).sources[kernel.source_file] == SCRIPT
    assert kernel.launches[0].grid is None


def test_a_kind_is_what_the_content_says(tmp_path: Path, compiled: Capture, amd: CompiledKernel) -> None:
    stages = compiled.kernels[1].stages
    expected = {"ttir": Kind.TTIR, "ttgir": Kind.TTGIR, "llir": Kind.LLIR, "ptx": Kind.PTX}
    assert {stage: detect(stages[stage].encode()) for stage in expected} == expected
    assert detect(amd.stages["amdgcn"].encode()) is Kind.AMDGCN
    assert detect(amd.binary) is Kind.HSACO
    assert detect(compiled.kernels[0].binary) is Kind.CUBIN
    assert detect(compiled.kernels[0].dump.encode()) is Kind.DUMP
    assert detect(SCRIPT.encode()) is Kind.PYTHON
    for stage in expected:
        (kernel,) = load(put(tmp_path, f"{stage}.whatever", stages[stage])).kernels
        assert kernel.name == "add"
        assert list(kernel.stages) == [stage]


@pytest.mark.parametrize(
    "sass",
    [
        "Function:copy_1d\n--:-:0:-:1\tLDC R1, c[0x0][0x28];\n",
        '\n\tcode for sm_90\n\t\tFunction : copy_1d\n\t.headerflags\t@"EF_CUDA_SM90"\n',
        "//--------------------- .text.copy_1d ------------------\n.text.copy_1d:\n        /*0000*/  LDC R1 ;\n",
    ],
)
def test_sass_in_three_dialects(tmp_path: Path, sass: str) -> None:
    (kernel,) = load(put(tmp_path, "k.txt", sass)).kernels
    assert (kernel.name, list(kernel.stages)) == ("copy_1d", ["sass"])


def test_binaries_name_their_target(tmp_path: Path, compiled: Capture, amd: CompiledKernel) -> None:
    cubin = load(put(tmp_path, "k.cubin", compiled.kernels[0].binary)).kernels[0]
    assert (cubin.name, cubin.target, cubin.binary) == ("copy", "cuda:90", compiled.kernels[0].binary)
    assert load(put(tmp_path, "k.hsaco", amd.binary)).kernels[0].target == "hip:gfx942"
    assert load(put(tmp_path, "k.amdgcn", amd.stages["amdgcn"])).kernels[0].target == "hip:gfx942"


def test_a_log_holds_several_kernels_and_keeps_their_loops(tmp_path: Path, compiled: Capture) -> None:
    copy, add = compiled.kernels
    log = gzip.compress(("some warning\n" + copy.dump + add.dump + copy.dump).encode())
    found = load(put(tmp_path, "log.txt.gz", log)).kernels
    assert [kernel.name for kernel in found] == ["copy", "add", "copy"]
    assert found[1].dump.strip() == add.dump.strip()
    assert set(found[1].stages) == {"ttir", "ttgir"}
    assert set(found[0].stages) == {"ttgir"}
    assert found[0].metadata["num_warps"] == 4
    assert found[0].stages["ttgir"].count("tt.load") == 1


def test_a_cache_folder_is_read_on_demand(tmp_path: Path, compiled: Capture) -> None:
    for index, kernel in enumerate(compiled.kernels):
        entry = tmp_path / f"HASH{index}"
        entry.mkdir()
        for stage, text in kernel.stages.items():
            put(entry, f"{kernel.name}.{stage}", text)
        put(entry, f"{kernel.name}.cubin", kernel.binary)
        target = {"backend": "cuda", "arch": 90, "warp_size": 32}
        put(entry, f"{kernel.name}.json", json.dumps({"name": kernel.name, "target": target, "num_warps": 4}))
        put(entry, f"__grp__{kernel.name}.json", json.dumps({"child_paths": {}}))
    found = load(tmp_path).kernels
    assert [(kernel.name, kernel.target) for kernel in found] == [("copy", "cuda:90"), ("add", "cuda:90")]
    assert found[1].stages["ttgir"] == compiled.kernels[1].stages["ttgir"]
    assert found[0].metadata["num_warps"] == 4
    put(tmp_path / "HASH0", "copy.ttgir", "changed")
    assert found[0].stages["ttgir"] == "changed"


def test_arguments_make_a_launch(tmp_path: Path, compiled: Capture) -> None:
    path = put(tmp_path, "k.ttgir", compiled.kernels[0].stages["ttgir"])
    cubin = put(tmp_path, "k.cubin", compiled.kernels[0].binary)
    capture = load(path, asm=cubin, args={"n": 4096, "src": 1024, "stride": 1}, grid=(16, 1, 1))
    (launch,) = capture.kernels[0].launches
    assert launch.grid == (16, 1, 1)
    assert launch.arguments == {"src": TensorArgument("float32", (), (), 1024), "n": 4096}
    assert capture.kernels[0].binary == compiled.kernels[0].binary
    assert len(capture.notes) == 1
    assert "stride=1" in capture.notes[0]


def test_sass_beside_ir(tmp_path: Path, compiled: Capture) -> None:
    path = put(tmp_path, "k.ttgir", compiled.kernels[0].stages["ttgir"])
    sass = put(tmp_path, "k.sass", "Function:copy\n--:-:0:-:1\tLDC R1, c[0x0][0x28];\n")
    assert set(load(path, asm=sass).kernels[0].stages) == {"ttgir", "sass"}


def test_an_unknown_argument_names_the_parameters(tmp_path: Path, compiled: Capture) -> None:
    path = put(tmp_path, "k.ttgir", compiled.kernels[0].stages["ttgir"])
    with pytest.raises(UsageError, match="no parameter 'm'") as caught:
        load(path, args={"m": 4})
    assert "src: !tt.ptr<f32>, dst: !tt.ptr<f32>, n: i32" in caught.value.hint


def test_parameters_by_location_where_the_printer_made_names_up() -> None:
    text = """#loc1 = loc("k.py":1:1)
#loc2 = loc("x"(#loc1))
tt.func public @k(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc(#loc2), %arg1: !tt.tensordesc<64x64xf16,
  #ttg.nvmma_shared<{a = 1}>> loc("d"(#loc1)), %arg2: tuple<(i32, i32) -> i1>, %n: i32) -> i32 {"""
    assert [(p.name, p.pointee) for p in parameters(text)] == [
        ("x", "float16"),
        ("d", ""),
        ("arg2", ""),
        ("n", ""),
    ]


BAD = {
    "an image": ("k.ttgir", b"\x89PNG\r\n\x1a\n\0\0\0"),
    "nothing": ("k.ttgir", b"  \n"),
    "prose": ("k.txt", b"To whom it may concern"),
    "a broken gzip": ("k.log.gz", b"\x1f\x8b\x08\0\0"),
    "a dump without IR": ("k.log", b"// -----// IR Dump\n"),
    "a script": ("k.txt", b"import torch\n"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_one_error_with_its_place(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, *BAD[name])
    with pytest.raises(InspectError) as caught:
        load(path)
    assert caught.value.position is not None
    assert "\n" not in str(caught.value)


def test_a_binary_given_as_ir_is_named(tmp_path: Path, compiled: Capture) -> None:
    with pytest.raises(ParseError, match="this is a cubin, not text"):
        load(put(tmp_path, "k.ttgir", compiled.kernels[0].binary))


def test_assembly_must_be_assembly(tmp_path: Path, compiled: Capture) -> None:
    path = put(tmp_path, "k.ttgir", compiled.kernels[0].stages["ttgir"])
    with pytest.raises(ParseError, match="not assembly"):
        load(path, asm=path)


def test_a_missing_file_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot read the file"):
        load(tmp_path / "none.ttgir")
    with pytest.raises(CaptureError, match="no compiled kernel below"):
        load(tmp_path)


def test_a_code_object_has_the_registers_that_its_assembly_says(tmp_path: Path, amd: CompiledKernel) -> None:
    (kernel,) = load(put(tmp_path, "k.hsaco", amd.binary)).kernels
    said = next(each for each in parse_amdgcn(amd.stages["amdgcn"]).functions if each.name == kernel.name)
    found = read_binary(kernel)
    assert (kernel.name, kernel.target) == ("add", "hip:gfx942")
    assert (found.registers_per_thread, found.spill_bytes) == (
        said.metadata["registers"],
        said.metadata["scratch_bytes"],
    )
    assert found.problems == (
        "no assembly: instruction counts are unknown: llvm-objdump -d FILE > FILE.s, and give that too with --asm",
    )


def test_a_cut_log_is_told_at_its_own_line_and_costs_its_last_kernel_only(
    tmp_path: Path, compiled: Capture, capsys: pytest.CaptureFixture[str]
) -> None:
    copy, add = compiled.kernels
    headers = list(re.finditer("^// -----// IR Dump", add.dump, re.MULTILINE))
    cut = add.dump.index("tt.store", headers[1].start())
    log = f"a remark of the script\n{copy.dump}{add.dump[:cut]}"
    path = put(tmp_path, "run.log", log)
    assert main(["report", str(path), "--target", "cuda:90", "--format", "json"]) == 2
    told = capsys.readouterr()
    first, second = json.loads(told.out)["kernels"]
    assert (first["name"], first["error"]) == ("copy", None)
    assert first["accesses"]
    assert (second["name"], second["error"]) == ("add", None)
    assert f"{path}:{log.count(chr(10)) + 1}: the text is cut: " in told.err


def test_a_log_is_in_memory_once(tmp_path: Path) -> None:
    module = "module {\n  tt.func public @k%d() {\n" + "  // filler\n" * 2000 + "  }\n}\n"
    header = "// -----// IR Dump Before Pass (pass) ('builtin.module' operation) //----- //\n"
    log = "".join((header + module % number) * 20 for number in range(12))
    path = put(tmp_path, "run.log", log)
    tracemalloc.start()
    kernels = load(path).kernels
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kernels) == 12
    assert "".join(kernel.dump for kernel in kernels) == log
    assert peak < 1.4 * len(log)


_OBJDUMP = """
k.hsaco:\tfile format elf64-amdgpu

Disassembly of section .text:

0000000000001900 <add>:
\ts_load_dwordx8 s[4:11], s[0:1], 0x0                        // 000000001900: C00E0100 00000000
\tbuffer_load_dword v1, v0, s[8:11], 0 offen                 // 00000000190C: E0501000 80020100
\ts_endpgm                                                   // 000000001918: BF810000
"""


def test_a_code_object_with_its_disassembly_has_counts_and_registers(tmp_path: Path, amd: CompiledKernel) -> None:
    binary, listing = put(tmp_path, "k.hsaco", amd.binary), put(tmp_path, "k.s", _OBJDUMP)
    assert detect(_OBJDUMP.encode()) is Kind.AMDGCN
    (kernel,) = load(binary, asm=listing).kernels
    found = read_binary(kernel)
    assert found.problems == ()
    assert found.registers_per_thread is not None
    assert found.assembly is not None
    assert [each.name for each in found.assembly.functions] == ["add"]
    assert load(listing, target="hip:gfx942").kernels[0].name == "add"


@pytest.mark.parametrize("text", ["[18446744073709551616, -9223372036854775809]", '{"a": 1.5e300}'])
def test_json_is_what_it_says(text: str):
    assert parse_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("9" * 301, "a number of 301 digits"),
        ("-" + "9" * 5000, "a number of 5000 digits"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "Expecting property name"),
    ],
)
def test_json_that_would_end_in_an_exception_is_refused(text: str, told: str):
    with pytest.raises(ValueError, match=told):
        parse_json(text)


@pytest.mark.parametrize("value", [1e308, 1.5, "3", None, 1 << 64])
def test_a_size_is_a_whole_number(value: object):
    with pytest.raises(ValueError, match="no whole number of 64 bits"):
        machine_integer(value)
