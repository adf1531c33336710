"""How a table writes its rows down."""

from gluon_inspect.ir.operations.constraints import Constraint
from gluon_inspect.ir.operations.kinds import OperationKind, OperationRow, ResultRule, Roles

TOKEN = "!ttg.async.token"


def roles(text: str, segments: str = "") -> Roles:
    """Roles from a line such as `"desc [coord] offsets=offsets result barrier pred"`, named as in the .td files.

    A bare word is a positional operand, `[role]` what stands in brackets after it (`[one,two]`: the first and
    the second there), `word=role` an operand behind a keyword; `*` repeats. `segments` is the order of the
    generic form where it differs.
    """
    positional: list[str] = []
    brackets: list[tuple[str, str]] = []
    keywords: dict[str, str] = {}
    for word in text.split():
        if word[0] == "[":
            brackets.append((positional[-1].rstrip("*") if positional else "", word[1:-1]))
        elif "=" in word:
            key, _, role = word.partition("=")
            keywords.setdefault(key, role)
            keywords[f"{positional[-1]} {key}" if positional else key] = role
        else:
            positional.append(word)
    order = tuple((segments or " ".join(_in_order(text))).split())
    return Roles(tuple(positional), tuple(brackets), keywords, order)


def _in_order(text: str) -> list[str]:
    order: list[str] = []
    for word in text.split():
        inside = word[1:-1].split(",") if word[0] == "[" else [word.rpartition("=")[2]]
        order.extend(f"{role}*" if word[0] == "[" and len(inside) == 1 else role for role in inside)
    return order


def plain(
    kind: OperationKind,
    names: str,
    result: ResultRule = ResultRule.LISTED,
    roles_text: str = "",
    *,
    elementwise: bool = False,
    requires: tuple[Constraint, ...] = (),
) -> list[OperationRow]:
    """Rows that differ only by name."""
    return [
        OperationRow(name, kind, result, roles=roles(roles_text), elementwise=elementwise, requires=requires)
        for name in names.split()
    ]
