"""Inductor's generated files: which of the author's operations each kernel was made from."""

from __future__ import annotations

import re

_KERNEL = re.compile(
    r"^# Topologically Sorted Source Nodes: \[(?P<nodes>[^\]\n]*)\], Original ATen: \[(?P<operations>[^\]\n]*)\]\n"
    r"(?P<graph>(?:#[^\n]*\n)*)(?P<name>\w+) = async_compile\.\w+\(",
    re.MULTILINE,
)
_CALL = re.compile(r"call_function\[target=torch\.ops\.(\w+\.\w+)")


def original_operations(source: str) -> dict[str, str]:
    """Kernel name -> the operations that its header comment names, and the author's nodes where it has them."""
    found: dict[str, str] = {}
    for match in _KERNEL.finditer(source):
        parts = [match["operations"] or _of_graph(match["graph"]) or "unnamed operations"]
        if match["nodes"]:
            parts.append(f"for {match['nodes']}")
        found[match["name"]] = " ".join(parts)
    return found


def _of_graph(comment: str) -> str:
    """The operations of the graph fragment, where the line that should name them is empty."""
    return ", ".join(dict.fromkeys(_CALL.findall(comment)))
