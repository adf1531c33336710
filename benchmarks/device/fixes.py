"""Kernels of benchmarks/fixes before and after `gluon-inspect fix`: predicted, then timed on a card.

`python -m benchmarks.device.fixes predict FILE` fixes each script (nothing is written to it) and keeps both texts
with their expected times; `python benchmarks/device/fixes.py measure PREDICTED FILE` needs torch and Triton alone,
checks that both texts compute the same, and times them in turn with the L2 flushed; `table PREDICTED MEASURED`
puts the two side by side.
"""

import importlib.util
import json
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

SCRIPTS = sorted(path for path in (Path(__file__).parents[1] / "fixes").glob("[a-z]*.py"))
_SECONDS = 110.0


def predict(path: str) -> None:
    """Both texts of each script and their expected microseconds."""
    from gluon_inspect.explaining.explanation import explain
    from gluon_inspect.explaining.fixes import checked
    from gluon_inspect.fixing.files import current
    from gluon_inspect.fixing.patch import Sources
    from gluon_inspect.model.request import Request
    from gluon_inspect.recording.prepared import prepared
    from gluon_inspect.workflow.inspection import inspect_all

    found = {}
    with prepared():
        for script in SCRIPTS:
            asked = Request((str(script),), ("cuda:90",))
            report = inspect_all(asked).report()
            sources = Sources(*current(report.sources))
            fixed = checked(report, [explain(kernel) for kernel in report.kernels], sources, asked)
            if not fixed.fixes:
                print(script.stem, [left.why for left in fixed.left])
                continue
            (pair,), (after,) = fixed.pairs, fixed.texts.values()
            found[script.stem] = {
                "proposal": fixed.fixes[0].proposal.title,
                "rules": sorted({finding.rule for finding in pair.before.findings}),
                "rules_after": sorted({finding.rule for finding in pair.after.findings}),
                "before": pair.before.cost.seconds * 1e6,
                "after": pair.after.cost.seconds * 1e6,
                "before_text": script.read_text(),
                "after_text": after,
            }
    Path(path).write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def measure(predicted: str, path: str, turns: int = 25) -> None:
    """Medians in microseconds of each script, and the largest difference between what its two texts compute."""
    import torch
    import triton

    begun = time.perf_counter()
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    found = {"device": torch.cuda.get_device_name(), "triton": triton.__version__, "scripts": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in json.loads(Path(predicted).read_text(encoding="utf-8")).items():
            if time.perf_counter() - begun > _SECONDS:
                found["scripts"][name] = {"error": f"not measured: {_SECONDS:.0f} s were over"}
                continue
            try:
                modules = [_module(Path(folder), name, which, entry) for which in ("before", "after")]
                found["scripts"][name] = _timed(*modules, flush, turns)
            except Exception as error:  # noqa: BLE001 (a script that fails leaves the others)
                found["scripts"][name] = {"error": repr(error)[:300]}
            print(f"{time.perf_counter() - begun:6.1f} s", name, found["scripts"][name], flush=True)
            Path(path).write_text(json.dumps(found, indent=1), encoding="utf-8")


def _module(folder: Path, name: str, which: str, entry: dict) -> ModuleType:
    """A text as a module of a file, which Triton reads a kernel's source from."""
    file = folder / f"{name}_{which}.py"
    file.write_text(entry[f"{which}_text"], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def _timed(before: ModuleType, after: ModuleType, flush: object, turns: int) -> dict:
    import torch

    given = before.setup()
    one = before.run(*given).clone()
    given[-1].zero_()
    two = after.run(*given)
    largest = (one.float() - two.float()).abs().max().item()
    times = {"before": [], "after": []}
    for _ in range(2):
        before.run(*given)
        after.run(*given)
    torch.cuda.synchronize()
    for _ in range(turns):
        for which, module in (("before", before), ("after", after)):
            flush.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            module.run(*given)
            end.record()
            torch.cuda.synchronize()
            times[which].append(start.elapsed_time(end) * 1e3)
    return {which: sorted(own)[turns // 2] for which, own in times.items()} | {"largest_difference": largest}


def table(predicted: dict, measured: dict) -> None:
    """A row a script, then the median of |log ratio| of the gains and those that were none."""
    errors, none = [], []
    print(f"{'script':22}{'measured µs':>20}{'gain':>7}{'expected µs':>20}{'gain':>7}{'differ':>9}  proposal")
    for name, guess in predicted.items():
        real = measured.get(name, {"error": "not measured"})
        if "error" in real:
            print(f"{name:22}{real['error'][:80]}")
            continue
        gain, expected = real["before"] / real["after"], guess["before"] / guess["after"]
        errors.append(abs(math.log(expected / gain)))
        if gain < 1.03:
            none.append(name)
        print(
            f"{name:22}{real['before']:10.1f}{real['after']:10.1f}{gain:7.2f}"
            f"{guess['before']:10.1f}{guess['after']:10.1f}{expected:7.2f}"
            f"{real['largest_difference']:9.1g}  {guess['proposal'][:60]}"
        )
    print(f"{len(errors)} fixes; median |log ratio| {statistics.median(errors):.3f}; no gain: {none or 'none'}")


def main() -> None:
    """Predict, measure or compare."""
    match sys.argv[1:]:
        case ["predict", path]:
            predict(path)
        case ["measure", predicted, path]:
            measure(predicted, path)
        case ["table", *paths]:
            predicted, measured = (json.loads(Path(path).read_text(encoding="utf-8")) for path in paths)
            table(predicted, measured["scripts"])
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
