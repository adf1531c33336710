"""`python -m scripts.fuzz`: the same seed gives the same inputs; a try may take 10 s of processor time and 1 GiB.

    .venv/bin/python -m scripts.fuzz --tries 14300 --commands 91 --jobs 8 --results fuzz.jsonl --keep failures

With `--results` a run that was ended goes on where it was. Exit code 1 if anything went wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from scripts.fuzz.spread import Result, Results, chunks, run_all
from scripts.fuzz.subjects import SUBJECTS
from scripts.fuzz.tries import BYTES, GOOD, SECONDS, Chunk

_BY_FUNCTION_ALONE = ("configuration", "baseline", "cache metadata")
"""No command takes them as its input."""


def main() -> int:
    """Run, and print a line a kind."""
    options = _options()
    kinds = options.kind or list(SUBJECTS)
    commanded = [kind for kind in kinds if kind not in _BY_FUNCTION_ALONE]
    work = chunks(kinds, options.seed, options.first, options.tries)
    work += chunks(commanded, options.seed, options.first, options.commands, commands=True)
    results = Results(Path(options.results)) if options.results else None
    found = results.read() if results is not None else {}
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)

    def done(result: Result) -> None:
        found[result[0]] = result[1]
        if results is not None:
            results.add(result)

    run_all([one for one in work if one not in found], options.jobs, options.keep, options.seconds, done)
    missing = sum(1 for one in work if one not in found)
    bad = _told({one: found[one] for one in work if one in found})
    if missing:
        print(f"{missing} of {len(work)} chunks were not tried")
    return 1 if bad or (missing and options.seconds is None) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "python -m scripts.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tries", type=int, default=60, help="of each kind (default 60)")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="N", help="the number of the first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=list(SUBJECTS))
    parser.add_argument("--commands", type=int, default=0, help="further tries of each kind by the command line")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, help="begin nothing after so many seconds")
    parser.add_argument("--keep", default="", metavar="FOLDER", help="one input of each failure goes there")
    parser.add_argument(
        "--results", default="", metavar="FILE", help="what is done, as JSON lines; it is gone on with"
    )
    return parser.parse_args()


def _told(found: Mapping[Chunk, Counter[str]]) -> int:
    """Prints the counts; how many tries went wrong."""
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    for chunk, counts in found.items():
        by_kind[f"{chunk.kind}, by command" if chunk.commands else chunk.kind] += counts
    for kind, counts in by_kind.items():
        print(f"{kind:26} {counts.total():7,} tries, {counts['read']:7,} read, {counts['refused']:7,} refused")
        for result, count in counts.most_common():
            if result not in GOOD:
                print(f"    {count:5,} {result}")
    whole = sum(by_kind.values(), Counter[str]())
    bad = whole.total() - sum(whole[result] for result in GOOD)
    print(f"{whole.total():,} tries: {bad:,} tracebacks, hangs over {SECONDS} s or above {BYTES >> 30} GiB")
    return bad


if __name__ == "__main__":
    sys.exit(main())
