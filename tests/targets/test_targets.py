import pytest

from gluon_inspect import targets
from gluon_inspect.errors import UsageError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cuda:90", "cuda:90"),
        ("cuda:90a", "cuda:90"),
        ("sm_90", "cuda:90"),
        ("sm_100a", "cuda:100"),
        ("CUDA:80", "cuda:80"),
        ("120", "cuda:120"),
        ("hip:gfx942", "hip:gfx942"),
        ("gfx90a", "hip:gfx90a"),
        ("gfx942:sramecc+:xnack-", "hip:gfx942"),
    ],
)
def test_find_takes_the_usual_spellings(name, expected):
    assert targets.find(name).name == expected


@pytest.mark.parametrize("name", ["cuda:91", "hip:gfx941", "cuda", "", "metal", "cuda:9O"])
def test_an_unknown_target_lists_the_known_ones(name):
    with pytest.raises(UsageError) as error:
        targets.find(name)
    assert all(target.name in error.value.hint for target in targets.ALL)


def test_the_nearest_target_is_the_hint():
    with pytest.raises(UsageError) as error:
        targets.find("hip:gfx941")
    assert error.value.hint.startswith("did you mean hip:gfx942?")


def test_every_number_has_a_source():
    told = {"name", "backend", "architecture", "reference_device", "sources", "has_accumulation_registers"}
    for target in targets.ALL:
        for field in target.__dataclass_fields__:
            value = getattr(target, field)
            default = target.__dataclass_fields__[field].default
            if field in told or value == default or not value or (target.backend, field) in UNSOURCED:
                continue
            assert field in target.sources, f"{target.name}: {field} has no source"


# What is 32 lanes, 1024 threads or a rounding of one on every card, said once in the module's docstring.
UNSOURCED = {
    ("cuda", "warp_size"),
    ("hip", "max_threads_per_cta"),
    ("hip", "min_registers_per_thread"),
}


@pytest.mark.parametrize("target", targets.ALL, ids=lambda target: target.name)
def test_the_numbers_are_consistent(target):
    assert target.shared_bytes_per_cta + target.shared_reserved_bytes_per_cta <= target.shared_bytes_per_sm
    assert target.registers_per_sm % (target.simds_per_sm * target.register_allocation_unit) == 0
    assert target.max_warps_per_sm % target.simds_per_sm == 0
    if target.shared_configurations_bytes:
        assert target.shared_configurations_bytes[-1] == target.shared_bytes_per_sm
