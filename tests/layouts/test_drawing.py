import re
from itertools import product
from random import Random
from xml.etree import ElementTree

import pytest

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.drawing.picture import combine, draw
from gluon_inspect.layouts.drawing.subjects import Banks, subject
from gluon_inspect.layouts.drawing.svg import svg
from gluon_inspect.layouts.drawing.text import drawing, fitted
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from tests.layouts.generate import FAMILIES


def plain(lines):
    return ["".join(span.text for span in line).rstrip() for line in lines]


def lines_of(text, shape, bits=32, padding=()):
    return plain(drawing(subject(linear_layout(read_layout(text), shape), bits, padding), text))


def surjective_cases(count):
    rng = Random(8)
    for index in range(count):
        name = list(FAMILIES)[index % len(FAMILIES)]
        encoding, shape = FAMILIES[name](rng)
        layout = linear_layout(encoding, shape)
        if layout.is_surjective:
            yield layout


def test_corner_and_steps_lead_to_a_holder_of_every_element():
    rng, seen = Random(3), 0
    for layout in surjective_cases(130):
        of, picture = fitted(subject(layout, 16), 80)
        steps = (
            *picture.row_moves,
            *picture.column_moves,
            *picture.inside_rows,
            *picture.inside_columns,
            *picture.repeats,
        )
        assert sorted((m.dim, m.stride) for m in steps) == sorted(
            (dim, 1 << bit) for dim, size in enumerate(layout.shape) for bit in range(size.bit_length() - 1)
        )
        for _ in range(20):
            at = [rng.randrange(size) for size in layout.shape]
            owner = {}
            for move in steps:
                if at[move.dim] & move.stride:
                    owner = combine(owner, dict(move.owner))
            assert of.layout.apply(**owner) == tuple(at)
        seen += 1
    assert seen > 100


def test_cells_name_the_owner_of_their_first_element():
    for layout in surjective_cases(65):
        picture = draw(layout)
        rows, columns, owners = picture.row_labels(), picture.column_labels(), picture.owners()
        for (r, row), (c, column) in product(enumerate(rows), enumerate(columns)):
            at = tuple(a + b for a, b in zip(row, column, strict=True))
            assert layout.apply(**owners[r][c]) == at


def test_no_line_is_wider_than_the_terminal():
    for layout in surjective_cases(130):
        for width in (80, 50):
            assert all(len(line) <= width for line in plain(drawing(subject(layout, 16), "x" * 200, width)))


def test_large_tensors_fold_to_their_pattern():
    lines = lines_of("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", (1024, 1024))
    assert len("\n".join(lines)) < 2000
    assert "  +32 rows: register +256" in lines
    assert "  r0   r1   r2   r3" in lines


def test_copies_are_marked_and_counted():
    lines = lines_of("BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])", (2, 8))
    assert "0 0:0* 0:1* 0:2* 0:3* 0:4* 0:5* 0:6* 0:7*" in lines
    said = "* every element is held 8 times: by 4 lanes x 2 warps (also lane +8, +16; warp +2)"
    assert said in " ".join(lines)


def test_an_element_held_once_carries_no_mark():
    assert "*" not in "\n".join(lines_of("BlockedLayout([1], [32], [1], [0])", (64,)))


def test_registers_show_where_cells_of_one_thread_differ():
    lines = lines_of("NVMMADistributedLayout([2, 0], [2, 1], [16, 8])", (32, 8))
    assert lines[4].split() == ["0", "0:0", "r0", "0:1", "r0", "0:2", "r0", "0:3", "r0"]
    assert lines[12].split()[:3] == ["8", "0:0", "r2"]


def test_swizzled_rows_show_their_banks():
    lines = lines_of("NVMMASharedLayout(128, 16, rank=2)", (64, 64), bits=16)
    assert lines[4:6] == [
        "0 0-3   4-7   8-11  12-15 16-19 20-23 24-27 28-31",
        "1 4-7   0-3   12-15 8-11  20-23 16-19 28-31 24-27",
    ]
    assert "  +8 rows: offset +512 (the same banks)" in lines


def test_padding_shifts_the_banks_of_each_row():
    text = "PaddedSharedLayout([[32, 4]], [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], [], [4, 32])"
    lines = lines_of(text, (4, 32), padding=((32, 4),))
    rows = [line.split() for line in lines if re.match(r"[0-3] \d+-", line)]
    assert [row[1] for row in rows] == ["0-3", "4-7", "8-11", "12-15"]
    assert rows[1][-1] == "0-3"


def test_padding_that_splits_chunks_makes_them_smaller():
    layout = linear_layout(read_layout("SwizzledSharedLayout(1, 1, 1, [1, 0])"), (32, 32))
    of = subject(layout, 32, ((32, 1),))
    assert isinstance(of, Banks)
    assert of.chunk == 1
    assert [of.bank({"line": row}) for row in range(3)] == [0, 1, 2]


def test_tensor_memory_shows_rows_and_columns():
    lines = lines_of("TensorMemoryLayout((64, 16), 1)", (64, 16))
    assert "16 32.0" in lines
    assert any("row.column of tensor memory" in line for line in lines)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_single_element_has_a_picture(shape):
    layout = LinearLayout({"register": (), "lane": ((0,) * len(shape),), "warp": ()}, shape)
    assert any("0:0*" in line for line in plain(drawing(subject(layout, 32), "scalar")))


def test_a_layout_that_misses_elements_is_refused():
    with pytest.raises(LayoutError, match="misses elements"):
        drawing(subject(LinearLayout({"register": ((1,),)}, (4,)), 32), "half")


def test_svg_is_well_formed_and_names_every_cell():
    for layout in surjective_cases(39):
        of, picture = fitted(subject(layout, 16), 150)
        root = ElementTree.fromstring(svg(subject(layout, 16), "a < b & c"))
        texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
        assert "a < b & c" in texts
        mark = "*" if any("held" in text for text in texts) else ""
        for row in picture.owners():
            for owner in row:
                assert of.label(owner) + mark in texts


def test_svg_stays_inside_its_own_frame():
    root = ElementTree.fromstring(
        svg(
            subject(linear_layout(read_layout("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"), (64, 64)), 32), "t"
        )
    )
    width, height = float(root.get("width")), float(root.get("height"))
    for node in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert float(node.get("x", 0)) + float(node.get("width")) <= width
        assert float(node.get("y", 0)) + float(node.get("height")) <= height
