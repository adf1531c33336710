"""Run by test_oracle.py in its own process, since Triton may abort: JSON texts in, operations and types out."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from triton._C.libtriton import amd, ir, nvidia


def main() -> None:
    context = ir.context()
    for module in (ir, nvidia, amd):
        module.load_dialects(context)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "module.mlir")
        for text in json.load(sys.stdin):
            path.write_text(text)
            found.append(_operations(ir.parse_mlir_module(str(path), context)))
    json.dump(found, sys.stdout)


def _operations(module) -> list[tuple[str, list[str]]]:
    found = []
    module.walk(
        lambda op: found.append(
            (op.get_name(), [str(op.get_result(at).get_type()) for at in range(op.get_num_results())])
        )
    )
    return found


if __name__ == "__main__":
    main()
