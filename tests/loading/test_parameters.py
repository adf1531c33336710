"""Values given for a kernel's parameters."""

from __future__ import annotations

import pytest

from gluon_inspect.errors import UsageError
from gluon_inspect.loading.parameters import Parameter, bind


@pytest.mark.parametrize(
    ("value", "message"),
    [({"n": 1 << 70}, "n is an i32"), ({"n": 1.5}, "n is an i32"), ({"x": 1 << 63}, "x is a pointer")],
)
def test_a_value_that_a_parameter_cannot_hold_is_refused(value: dict[str, int | float], message: str) -> None:
    known = (Parameter("n", "i32"), Parameter("x", "!tt.ptr<f32>", "float32"))
    with pytest.raises(UsageError, match=message):
        bind(known, value)
    assert bind(known, {"n": -1, "x": 4096})[0]["n"] == -1
