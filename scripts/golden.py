"""Goldens of the numbers: `python -m scripts.golden --diff` says what changed, `--write` keeps it.

Groups by name (`examples/matmul`, `truth`, …) or all. The answers are those of the command line on the inputs in
tests/golden/inputs; nothing is compiled and neither Triton nor torch is asked.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser

from tests.golden.harness import answers, described, differences, expected, groups, keep


def main() -> int:
    """Exit code 1 if something differs and was not written."""
    parser = ArgumentParser("golden", description=__doc__)
    parser.add_argument("groups", nargs="*", help="beginnings of names (default: all)")
    parser.add_argument("--write", action="store_true", help="keep what differs")
    parser.add_argument("--diff", action="store_true", help="print every difference, not the first")
    parser.add_argument("--times", action="store_true", help="print what each group takes (CPU seconds)")
    asked = parser.parse_args()
    changed = 0
    for group in (name for name in groups(every=True) if name.startswith(tuple(asked.groups) or "")):
        start = time.process_time()
        found, before = answers(group, every=True), expected(group)
        if asked.times:
            print(f"{group}: {time.process_time() - start:.1f} s, {len(found)} answers", file=sys.stderr)
        if found == before:
            continue
        changed += 1
        print(f"=== {group}\n{described(list(differences(before, found)), 10_000 if asked.diff else 1)}")
        if asked.write:
            keep(group, found)
    print(f"{changed} groups differ" + (" and were written" if asked.write and changed else ""))
    return int(changed > 0 and not asked.write)


if __name__ == "__main__":
    sys.exit(main())
