"""Every rule explains itself, and its examples do what they say: the bad one is found, the good one is not."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.model.finding import ExampleLanguage
from gluon_inspect.model.report import Report
from gluon_inspect.pipeline import inspect
from gluon_inspect.project.budgets import with_budgets
from gluon_inspect.project.configuration import load_configuration
from gluon_inspect.project.gate import known_rules
from gluon_inspect.recording.record import record
from gluon_inspect.wording.examples import IMPORTS

RULES = known_rules()
SCRIPTS = [rule for rule in RULES if rule.example_language is ExampleLanguage.PYTHON]
KINDS = ("bad", "good")
RUN_ALL = """
import importlib, sys

sys.path.insert(0, {folder!r})
for name in {names!r}:
    try:
        importlib.import_module(name)
    except Exception as error:  # a kernel that does not compile is an example too
        print(name, type(error).__name__, file=sys.stderr)
"""


def module_name(rule, kind):
    return f"{rule.code.lower()}_{kind}"


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """Reports on the kernels of each example, by the example's name: one recording a target."""
    folder = tmp_path_factory.mktemp("examples")
    found = defaultdict(list)
    for target in sorted({rule.example_target for rule in SCRIPTS}):
        rules = [rule for rule in SCRIPTS if rule.example_target == target]
        for report in reports(folder, rules, target):
            found[Path(report.kernel.source_file).stem].append(report)
    return found


def reports(folder, rules, target):
    names = []
    for rule in rules:
        for kind in KINDS:
            names.append(module_name(rule, kind))
            (folder / f"{names[-1]}.py").write_text(f"{IMPORTS}\n\n{getattr(rule, kind)}")
    main = folder / "main.py"
    main.write_text(RUN_ALL.format(folder=str(folder), names=names))
    return inspect(with_sass(record(str(main), target))).kernels


def findings(reports):
    return {finding.rule for report in reports for finding in report.findings}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_says_what_why_how_and_what_not(rule):
    assert all((rule.summary, rule.what, rule.why, rule.how, rule.not_modelled, rule.bad, rule.good))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", SCRIPTS, ids=lambda rule: rule.code)
def test_an_example_does_what_it_says(kernels, rule, kind):
    found = kernels[module_name(rule, kind)]
    assert found
    assert (rule.code in findings(found)) == (kind == "bad")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", [r for r in RULES if r not in SCRIPTS], ids=lambda rule: rule.code)
def test_an_example_of_a_configuration_does_what_it_says(kernels, rule, kind, tmp_path):
    (tmp_path / "gluon-inspect.toml").write_text(getattr(rule, kind))
    assert tomllib.loads(getattr(rule, kind))
    some = kernels[module_name(SCRIPTS[0], "good")]
    judged = with_budgets(Report(tuple(some)), load_configuration(tmp_path).budgets)
    assert (rule.code in findings(judged.kernels)) == (kind == "bad")


@pytest.mark.parametrize("rule", SCRIPTS, ids=lambda rule: rule.code)
def test_the_good_kernel_compiles(kernels, rule):
    assert not [problem for report in kernels[module_name(rule, "good")] for problem in report.problems]
