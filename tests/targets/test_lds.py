import pytest

from gluon_inspect import targets
from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.targets.lds import LdsKind, lds_rule

AMD = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")


def span(*basis):
    lanes = {0}
    for vector in basis:
        lanes |= {lane ^ vector for lane in lanes}
    return lanes


@pytest.mark.parametrize("name", AMD)
@pytest.mark.parametrize("bits", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("kind", list(LdsKind))
def test_every_lane_is_in_one_group_and_groups_fill_the_banks(name, bits, kind):
    target = targets.find(name)
    rule = lds_rule(target, bits, kind)
    assert sorted(lane for group in rule.groups for lane in group) == list(range(target.warp_size))
    assert {len(group) for group in rule.groups} == {min(target.warp_size, rule.banks * 32 // max(bits, 32))}


@pytest.mark.parametrize(("name", "phases"), [("gfx942", 4), ("gfx950", 2)])
def test_number_of_phases_of_64_bit_accesses(name, phases):
    """The table of Triton pull request 9662."""
    assert len(lds_rule(targets.find(name), 64).groups) == phases


@pytest.mark.parametrize(
    ("name", "first", "shifts"),
    [
        ("gfx942", span(1, 2, 4 ^ 16), (0, 32, 4, 36, 8, 40, 12, 44)),
        ("gfx950", span(1, 2, 4 ^ 8, 4 ^ 16), (0, 32, 4, 36)),
    ],
)
def test_groups_of_128_bit_reads_are_shifts_of_the_first(name, first, shifts):
    """Triton pull request 11365: the first phase's span, and the shifts that give the others."""
    groups = {frozenset(group) for group in lds_rule(targets.find(name), 128).groups}
    assert groups == {frozenset(lane ^ shift for lane in first) for shift in shifts}


def test_two_address_reads_see_half_of_the_banks_on_mi350():
    """Triton pull request 9544."""
    mi350 = targets.find("gfx950")
    assert lds_rule(mi350, 64, LdsKind.READ2).banks == 32
    assert lds_rule(mi350, 64, LdsKind.READ).banks == 64


def test_what_was_never_measured_says_so():
    assert lds_rule(targets.find("gfx1250"), 128).model is ModelStatus.UNVALIDATED
    assert lds_rule(targets.find("gfx942"), 128).model is ModelStatus.DOCUMENTED
