"""Findings counted by rule."""

from collections import defaultdict

from gluon_inspect.model.finding import Column, Table
from gluon_inspect.model.report import Report
from gluon_inspect.verdict.problems import Problem, problems


def rule_table(report: Report) -> Table:
    """A row a rule: findings, the problems that they are, and what these lose together in µs, dearest first."""
    groups: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems(report):
        groups[problem.finding.rule].append(problem)
    rows = [(rule, *_row(found)) for rule, found in groups.items()]
    rows.sort(key=lambda row: (-(row[-1] or 0.0), row[0]))
    columns = (
        Column("rule"),
        Column("name"),
        Column("findings", "right"),
        Column("problems", "right"),
        Column("lost", "right", "µs"),
    )
    return Table("rules", "Findings by rule", columns, tuple(rows))


def _row(found: list[Problem]) -> tuple[str, int, int, float | None]:
    lost = [problem.lost_seconds for problem in found if problem.lost_seconds is not None]
    findings = sum(1 + len(each.elsewhere) for problem in found for each in problem.occurrences)
    return found[0].finding.name, findings, len(found), round(sum(lost) * 1e6, 3) if lost else None
