"""Inputs that nobody meant: broken, endless, foreign or with names that want to be something else.

Each is a file's name, its content and the options it is reported on with.
"""

from __future__ import annotations

import io
import json
import zipfile

WILD = "\x1b[31mred</script><b>|`::error ::%0A\u202ebad\u200b"
LAYOUT = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
ATTRIBUTES = '"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32'
HEAD = f'#b = {LAYOUT}\nmodule attributes {{"ttg.num-ctas" = 1 : i32, {ATTRIBUTES}}} {{\n'
COPY = """  tt.func public @NAME(%src: !tt.ptr<f32>, %dst: !tt.ptr<f32>, %n: i32) {
    %c = arith.constant 128 : i32
    %p = tt.get_program_id x : i32
    %s = arith.muli %p, %c : i32
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %s : i32 -> tensor<128xi32, #b>
    %i = arith.addi %o, %r : tensor<128xi32, #b>
    %q = tt.splat %n : i32 -> tensor<128xi32, #b>
    %m = arith.cmpi slt, %i, %q : tensor<128xi32, #b>
    %a = tt.splat %src : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %x = tt.addptr %a, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %v = tt.load %x, %m : tensor<128x!tt.ptr<f32>, #b>
    %d = tt.splat %dst : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %y = tt.addptr %d, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.store %y, %v, %m : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}
"""


def kernel(name: str = "copy") -> str:
    """A copy of 128 elements a program."""
    return HEAD + COPY.replace("NAME", name)


def located(file: str) -> str:
    """The copy with one location, in a file of that name."""
    said = json.dumps(file, ensure_ascii=False)
    return kernel().replace(
        "%x, %m : tensor<128x!tt.ptr<f32>, #b>", f"%x, %m : tensor<128x!tt.ptr<f32>, #b> loc({said}:3:1)"
    )


def archive(**members: str) -> bytes:
    """A zip with those members; two underscores stand for a slash."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        for name, text in members.items():
            file.writestr(zipfile.ZipInfo(name.replace("__", "/").replace("_json", ".json")), text)
    return held.getvalue()


def index(**changes: object) -> str:
    """The index of a capture with nothing in it, but for the changes."""
    empty = {"format": "gluon-inspect capture", "version": 1, "origin": "x", "notes": [], "error": None}
    return json.dumps({**empty, "sources": {}, "kernels": [], **changes})


def recorded(name: str, file: str) -> bytes:
    """A capture of the copy by a kernel of that name in a file of that name."""
    blob = "0123456789abcdef01234567"
    launch = {
        "id": "launch0",
        "count": 1,
        "grid": [8, 1, 1],
        "arguments": {"src": 4096, "dst": 8192, "n": 1000},
        "assumed": [],
    }
    described = {
        "name": name,
        "target": "cuda:90",
        "triton_version": name,
        "source_file": file,
        "source_line": 3,
        "error": "",
        "compile_seconds": None,
        "constexprs": {name: name},
        "signature": {"src": "*fp32", "dst": "*fp32", "n": "i32"},
        "metadata": {"num_warps": 4, "num_ctas": 1, "shared": 0, name: name},
        "stages": {"ttgir": blob},
        "binary": "",
        "dump": "",
        "launches": [launch],
    }
    said = index(origin=file, notes=[name], sources={file: blob}, kernels=[described])
    return archive(index_json=said, **{f"blobs__{blob}": located(file)})


LAUNCHED = ("--arg", "n=1000", "--arg", "src=4096", "--arg", "dst=8192", "--grid", "8")

CASES: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "whole": ("k.ttgir", kernel().encode(), LAUNCHED),
    "no_launch": ("k.ttgir", kernel().encode(), ()),
    "misaligned": ("k.ttgir", kernel().encode(), ("--arg", "n=7", "--arg", "src=4097", "--grid", "1")),
    "no_programs": ("k.ttgir", kernel().encode(), ("--arg", "n=7", "--grid", "0")),
    "most_programs": (
        "k.ttgir",
        kernel().encode(),
        ("--arg", "n=2147483647", "--grid", "2147483647", "--programs", "4"),
    ),
    "too_many_programs": ("k.ttgir", kernel().encode(), ("--grid", "2147483648")),
    "negative": ("k.ttgir", kernel().encode(), ("--arg", "n=-5", "--grid", "4")),
    "not_a_number": ("k.ttgir", kernel().encode(), ("--arg", "n=nan", "--grid", "4")),
    "unknown_argument": ("k.ttgir", kernel().encode(), ("--arg", "zzz=4", "--grid", "4")),
    "unknown_kernel": ("k.ttgir", kernel().encode(), ("--kernel", "zzz")),
    "unknown_target": ("k.ttgir", kernel().encode(), ("--target", "cuda:9000")),
    "other_target": ("k.ttgir", kernel().encode(), ("--target", "hip:gfx942")),
    "no_target": ("k.ttgir", kernel().replace(', ttg.target = "cuda:90"', "").encode(), LAUNCHED),
    "wild_name": ("k.ttgir", kernel('"' + WILD.replace("\x1b", "\\1B") + '"').encode(), LAUNCHED),
    "wild_capture": ("k.gi", recorded(WILD, WILD), ()),
    "wild_file": ("k.ttgir", located(WILD).encode(), LAUNCHED),
    "wild_file_name": ("k<b>|`.ttgir", kernel().encode(), LAUNCHED),
    "path_upwards": ("k.ttgir", located("../../../../etc/passwd").encode(), LAUNCHED),
    "empty": ("k.ttgir", b"", ()),
    "spaces": ("k.ttgir", b" \n\t\n", ()),
    "null_bytes": ("k.ttgir", b"\0" * 64, ()),
    "not_text": ("k.ttgir", bytes(range(256)), ()),
    "utf16": ("k.ttgir", kernel().encode("utf-16"), ()),
    "crlf": ("k.ttgir", kernel().replace("\n", "\r\n").encode(), LAUNCHED),
    "cut": ("k.ttgir", kernel().encode()[:700], ()),
    "unclosed": ("k.ttgir", kernel().encode()[:-2], ()),
    "closed_twice": ("k.ttgir", kernel().encode() + b"}", ()),
    "deep_type": ("k.ttgir", b"my.op : " + b"tensor<" * 5000 + b"f32" + b">" * 5000, ()),
    "deep_region": ("k.ttgir", b"my.op {\n" * 2000 + b"}\n" * 2000, ()),
    "no_function": ("k.ttgir", b"module {\n}\n", ()),
    "two_functions": ("k.ttgir", (kernel()[:-2] + COPY.replace("NAME", "other")).encode(), LAUNCHED),
    "unknown_operation": (
        "k.ttgir",
        kernel().replace("    tt.return", "    my.op %n : i32\n    tt.return").encode(),
        LAUNCHED,
    ),
    "unknown_layout": ("k.ttgir", kernel().replace(LAYOUT, "#ttg.marvellous<{order = [0]}>").encode(), LAUNCHED),
    "layout_of_other_rank": (
        "k.ttgir",
        kernel().replace(LAYOUT, LAYOUT.replace("[0]", "[1, 0]")).encode(),
        LAUNCHED,
    ),
    "layout_of_no_power": ("k.ttgir", kernel().replace("[32]", "[33]").encode(), LAUNCHED),
    "layout_of_zero": ("k.ttgir", kernel().replace("[1]", "[0]").encode(), LAUNCHED),
    "shape_of_no_power": ("k.ttgir", kernel().replace("128", "100").encode(), LAUNCHED),
    "huge_shape": ("k.ttgir", kernel().replace("128", str(1 << 20)).encode(), LAUNCHED),
    "dump_of_nothing": (
        "k.log",
        b"// -----// IR Dump Before Nothing (nothing) ('builtin.module' operation) //----- //\n",
        (),
    ),
    "ptx_cut": ("k.ptx", b".version 8.0\n.target sm_90\n.visible .entry k(\n", ()),
    "sass_of_noise": ("k.sass", b"/*0000*/ WHAT R0, R1 ;\n", ()),
    "amdgcn_of_noise": ("k.amdgcn", b"v_what v0, v1\n", ()),
    "cubin_cut": ("k.cubin", b"\x7fELF\x02\x01\x01" + b"\0" * 40, ()),
    "hsaco_of_noise": ("k.hsaco", b"\x7fELF" + b"\xff" * 100, ()),
    "capture_of_nothing": ("k.gi", b"", ()),
    "capture_without_index": ("k.gi", archive(other="x"), ()),
    "capture_without_kernels": ("k.gi", archive(index_json=index()), ()),
    "capture_of_the_future": ("k.gi", archive(index_json=index(version=99)), ()),
    "capture_of_wrong_types": ("k.gi", archive(index_json=index(kernels=[3])), ()),
    "capture_with_foreign_member": ("k.gi", archive(index_json=index(), **{"..__evil": "x"}), ()),
    "capture_of_broken_json": ("k.gi", archive(index_json="{"), ()),
    "missing": ("", b"", ()),
}
"""By name: the file's name (none: it is not there), its content, options."""
FORMATS = ("text", "markdown", "sarif", "junit", "github", "html")
FORMATTED = ("whole", "wild_capture", "wild_file", "wild_file_name")
"""Cases that are drawn in every format: who escapes what."""
