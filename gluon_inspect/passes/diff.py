"""The difference that a pass made, as a unified diff of normalised IR."""

from __future__ import annotations

from difflib import unified_diff

from gluon_inspect.passes.normalised import normalised
from gluon_inspect.passes.states import PassRun

_CONTEXT_LINES = 2


def diff_of(run: PassRun, limit: int = 200) -> tuple[str, ...]:
    """Lines of a unified diff, at most `limit`; empty where a state is missing or nothing changed."""
    if run.before is None or run.after is None:
        return ()
    before, after = (normalised(state.ir or "").splitlines() for state in (run.before, run.after))
    lines = list(unified_diff(before, after, "before", f"after {run.name}", lineterm="", n=_CONTEXT_LINES))
    more = len(lines) - limit
    return (*lines[:limit], f"… {more} more lines") if more > 0 else tuple(lines)
