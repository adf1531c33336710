"""--assume FILE:LINE=VALUE and --only-launches as the command line takes them."""

from __future__ import annotations

import pytest

from gluon_inspect.cli import main


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--assume", "moe.py:x=3"], "--assume 'moe.py:x=3' is not FILE:LINE=VALUE"),
        (["--assume", "moe.py:3=many"], "--assume moe.py:3: 'many' is no number"),
        (["--only-launches", "0"], "--only-launches is not a positive number"),
    ],
)
def test_what_is_no_number_is_refused(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "moe.py", *options]) == 2
    assert said in capsys.readouterr().err
