import pytest

from gluon_inspect.cli import main

ROWS = "BlockedLayout([1,4],[8,4],[4,1],[1,0])"


@pytest.fixture(autouse=True)
def _no_colour(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def test_a_layout_is_drawn_without_colour_into_a_pipe(capsys):
    assert main(["layout", ROWS, "--shape", "64x64"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert " 8 1:0  1:1  1:2  1:3" in out.splitlines()


def test_no_color_wins_over_force_color(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["layout", ROWS, "--shape", "64x64"])
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(["layout", ROWS, "--shape", "64x64"])
    assert "\x1b" not in capsys.readouterr().out


def test_the_irs_text_is_understood(capsys):
    text = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
    assert main(["layout", text, "--shape", "64x64"]) == 0
    assert "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]) at 64x64" in capsys.readouterr().out


def test_svg_goes_to_a_file(tmp_path, capsys):
    file = tmp_path / "layout.svg"
    assert main(["layout", ROWS, "--shape", "64x64", "--format", "svg", "-o", str(file)]) == 0
    assert file.read_text(encoding="utf-8").startswith("<svg")
    assert capsys.readouterr().out == ""


def test_the_tutorials_two_layouts_are_equal(capsys):
    one = "BlockedLayout([1], [32], [4], [0])"
    other = "SliceLayout(1, BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0]))"
    assert main(["layout", one, "--shape", "128", "--equal", other]) == 0
    assert capsys.readouterr().out.startswith("same mapping at 128\n")


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        ("BlockedLayout([1,2],[8,4],[4,1],[1,0])", "shuffle"),
        ("BlockedLayout([4,1],[8,4],[4,1],[0,1])", "shared"),
    ],
)
def test_different_layouts_say_what_converting_costs(other, kind, capsys):
    assert main(["layout", ROWS, "--shape", "64x64", "--equal", other]) == 1
    out = capsys.readouterr().out
    assert out.startswith("different mapping")
    assert f"conversion: {kind}" in out
    assert "first difference:" in out


def test_another_cluster_costs_a_cluster_exchange(capsys):
    one, other = (f"BlockedLayout([1,1],[4,8],[4,1],[1,0],cga_layout=[[{a},{b}]])" for a, b in ((1, 0), (0, 1)))
    assert main(["layout", one, "--shape", "64x64", "--equal", other]) == 1
    assert "conversion: cluster" in capsys.readouterr().out


def test_shared_layouts_compare_without_a_conversion(capsys):
    one, other = "SwizzledSharedLayout(1,1,1,[1,0])", "SwizzledSharedLayout(8,1,8,[1,0])"
    assert main(["layout", one, "--shape", "64x64", "--equal", other]) == 1
    out = capsys.readouterr().out
    assert "conversion" not in out
    assert "offset 64 holds (1, 0) against (1, 8)" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([ROWS, "--shape", "64xx64"], "is not a shape"),
        ([ROWS, "--shape", "64x48"], "powers of two"),
        ([ROWS, "--shape", "64"], "rank 2 does not fit"),
        (["Blocked([1])", "--shape", "64"], "unknown layout Blocked"),
        (["BlockedLayout([1]", "--shape", "64"], "not a layout in Gluon's syntax"),
        ([ROWS, "--shape", "64x64", "--equal", "SwizzledSharedLayout(1,1,1,[1,0])"], "cannot compare"),
        ([ROWS, "--shape", "64x64", "-o", "/nowhere/at/all"], "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(["layout", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.startswith("gluon-inspect: error: ")
