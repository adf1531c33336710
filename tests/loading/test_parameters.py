"""Values given for a kernel's parameters."""

from __future__ import annotations

import pytest

from gluon_inspect.errors import UsageError
from gluon_inspect.ir.text import parse_module
from gluon_inspect.loading.kind import Kind
from gluon_inspect.loading.parameters import Parameter, bind, parameters
from gluon_inspect.loading.texts import kernel_names
from gluon_inspect.model.mlir import SymbolReference
from gluon_inspect.traffic.launch import entry_function


@pytest.mark.parametrize(
    ("value", "message"),
    [({"n": 1 << 70}, "n is an i32"), ({"n": 1.5}, "n is an i32"), ({"x": 1 << 63}, "x is a pointer")],
)
def test_a_value_that_a_parameter_cannot_hold_is_refused(value: dict[str, int | float], message: str) -> None:
    known = (Parameter("n", "i32"), Parameter("x", "!tt.ptr<f32>", "float32"))
    with pytest.raises(UsageError, match=message):
        bind(known, value)
    assert bind(known, {"n": -1, "x": 4096})[0]["n"] == -1


QUOTED = r'tt.func public @"my \22kernel\22<int, 3>"(%x: !tt.ptr<f32>, %n: i32) { tt.return }'


def test_a_kernel_whose_name_stands_in_quotes_has_a_name_and_parameters() -> None:
    assert kernel_names(QUOTED, Kind.TTGIR, "otherwise") == ('my "kernel"<int, 3>',)
    assert [str(each.name) for each in parameters(QUOTED)] == ["x", "n"]


def test_a_quoted_name_is_the_same_in_the_text_and_in_the_module() -> None:
    (name,) = kernel_names(QUOTED, Kind.TTGIR, "otherwise")
    module = parse_module(f"module {{ {QUOTED} tt.func @g() {{ tt.return }} }}")
    entry = entry_function(module, name)
    assert entry is not None
    assert entry.attributes["sym_name"] == name


def test_a_call_names_a_quoted_function_as_its_head_does() -> None:
    called = 'tt.func private @"a b"() { tt.return }'
    text = f'module {{ {called} tt.func @k() {{ tt.call @"a b"() : () -> () tt.return }} }}'
    (call,) = (op for op in parse_module(text).walk() if op.name == "tt.call")
    assert call.attributes["callee"] == SymbolReference("a b")
