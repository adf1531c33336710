"""Files with several kernels: a cubin made by ptxas, its listing, the PTX; and code objects that lie."""

from __future__ import annotations

import json
import struct
import subprocess
from html import unescape
from pathlib import Path

import pytest

from gluon_inspect.assembly.hsaco import parse_hsaco
from gluon_inspect.cli import main
from gluon_inspect.errors import ParseError
from gluon_inspect.loading import load
from gluon_inspect.loading.disassemble import disassemble, find_tool

_HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
_KERNEL = """
.visible .entry {name}(.param .u64 p) {{
  .reg .u64 %a; .reg .f32 %v<{count}>;
  ld.param.u64 %a, [p];
  {loads}
  st.global.f32 [%a], %v0;
  ret;
}}
"""


def _kernel(name: str, count: int) -> str:
    loads = [f"ld.volatile.global.f32 %v{each}, [%a+{4 * each}];" for each in range(count)]
    return _KERNEL.format(name=name, count=count, loads="\n  ".join(loads))


_PTX = _HEAD + _kernel("two", 2) + _kernel("five", 5)
_LOADS = {"two": 2, "five": 5}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same two kernels in each form."""
    folder = tmp_path_factory.mktemp("several")
    found = {kind: folder / f"k.{kind}" for kind in ("ptx", "cubin", "sass")}
    found["ptx"].write_text(_PTX)
    ptxas = find_tool().with_name("ptxas")
    subprocess.run([ptxas, "-arch=sm_90", found["ptx"], "-o", found["cubin"]], check=True)
    found["sass"].write_text(disassemble(found["cubin"].read_bytes()))
    return found


@pytest.mark.parametrize("kind", ["ptx", "cubin", "sass"])
def test_every_kernel_of_a_file_has_its_own_counts(capsys: pytest.CaptureFixture[str], files, kind):
    assert main(["report", str(files[kind]), "--format", "json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    load = "ld.global" if kind == "ptx" else "LDG"
    assert {
        each["name"]: sum(n for name, n in each["instructions_static"].items() if name.startswith(load))
        for each in kernels
    } == _LOADS


def _words(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, however it was wrapped and escaped."""
    return " ".join(unescape(capsys.readouterr().out).split())


@pytest.mark.parametrize("kind", ["ptx", "cubin", "sass"])
def test_what_stands_and_what_cannot_be_known_is_said(capsys: pytest.CaptureFixture[str], files, kind):
    stands = "instruction counts" if kind == "ptx" else "instruction counts and registers"
    said = f"no IR: {stands} stand; accesses, layouts, bytes moved and time cannot be known"
    for form in ("text", "markdown", "html"):
        assert main(["report", str(files[kind]), "--format", form]) == 0
        assert _words(capsys).count(said) >= len(_LOADS), form
    assert main(["explain", str(files[kind])]) == 0
    assert _words(capsys).count(f"nothing to explain: {said}") == len(_LOADS)


@pytest.mark.parametrize("kind", ["ptx", "cubin", "sass"])
def test_unknown_is_null_and_never_zero(capsys: pytest.CaptureFixture[str], files, kind):
    main(["report", str(files[kind]), "--format", "json"])
    for kernel in json.loads(capsys.readouterr().out)["kernels"]:
        assert kernel["launch"]["grid"] is None
        assert kernel["shared_bytes"] is None
        assert kernel["tensor_memory_columns"] is None
        assert kernel["occupancy"] is None
        assert kernel["measurement"] is None
        assert kernel["coverage"]["operations"] is kernel["coverage"]["understood"] is None
        assert (kernel["registers"]["per_thread"] is None) == (kind == "ptx")
        assert (kernel["registers"]["spill_bytes"] is None) == (kind == "ptx")


def test_one_of_several_is_chosen_by_name(files):
    assert [kernel.name for kernel in load(files["cubin"]).kernels] == ["five", "two"]


def _hsaco(metadata: bytes) -> bytes:
    note = struct.pack("<III", 7, len(metadata), 32) + b"AMDGPU\0\0" + metadata
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1@", 3, 224, 1, 0, 64, 0, 0x4C, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(note), len(note), 4) + note


_ONE = b"\x81\xaeamdhsa.kernels\x91\x82\xa5.name\xa1k\xab.vgpr_count\xcd\x01\x00"


def test_a_code_object_says_registers_and_nothing_that_is_not_there():
    (kernel,) = parse_hsaco(_hsaco(_ONE)).functions
    assert (kernel.name, kernel.registers, kernel.stack_bytes) == ("k", 256, None)


@pytest.mark.parametrize(
    "metadata", [b"", b"\x80", b"\xdd\xff\xff\xff\xff", b"\x91" * 40 + b"\xc0", b"\xc1", b"\xa5ab"]
)
def test_metadata_that_lies_is_one_error(metadata):
    with pytest.raises(ParseError, match="damaged hsaco"):
        parse_hsaco(_hsaco(metadata), "k.hsaco")


def test_a_cut_code_object_is_one_error():
    whole = _hsaco(_ONE)
    for end in range(64, len(whole)):
        with pytest.raises(ParseError):
            parse_hsaco(whole[:end])


def test_the_assembly_of_another_kernel_is_not_taken_for_its_own(capsys: pytest.CaptureFixture[str], files):
    ir = Path(__file__).parents[1] / "data" / "shared" / "small_dot.ttgir"
    assert main(["report", str(ir), "--asm", str(files["cubin"]), "--format", "json", "--fail-on", "never"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["registers"]["per_thread"] is None
    assert kernel["instructions_static"] == {}
    assert [each for each in kernel["problems"] if "holds no kernel" in each and "it has five, two" in each]


def test_assembly_goes_to_the_kernel_that_was_chosen(capsys: pytest.CaptureFixture[str], files):
    options = ["--asm", str(files["sass"]), "--format", "json"]
    assert main(["report", str(files["ptx"]), *options]) == 2
    assert "--asm belongs to one kernel" in capsys.readouterr().err
    assert main(["report", str(files["ptx"]), "--kernel", "two", *options]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["instructions_static"]["LDG.E"] == _LOADS["two"]
