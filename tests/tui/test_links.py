"""Which lines belong together, through inlined helpers and columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.ir.text import parse_module
from gluon_inspect.listings.assembly import assembly_document
from gluon_inspect.listings.document import Chain, Document, Language, Place
from gluon_inspect.listings.ir import Form, IrText, ir_text, located
from gluon_inspect.listings.links import NOTHING, LinkIndex, Lit, Pick, files_of, pick
from gluon_inspect.listings.source import source_document
from tests.tui import samples

HELPER = Place("helper.py", 5, 3)
CALL, OTHER_CALL = Place("kernel.py", 20, 7), Place("kernel.py", 22, 7)


def document(language: Language, *chains: Chain) -> Document:
    lines = tuple(f"line {n}" for n in range(len(chains)))
    return Document("d", language, lines, {n: (chain,) for n, chain in enumerate(chains) if chain})


def lit(language: Language, picked: Pick, *chains: Chain) -> Lit:
    return LinkIndex(document(language, *chains)).lit(picked)


def test_a_source_line_lights_what_it_and_its_helpers_became():
    picked = Pick(((CALL,),), anywhere=True)
    assert lit(Language.MLIR, picked, (CALL,), (HELPER, CALL), (HELPER, OTHER_CALL), ()).strong == {0, 1}


def test_a_helpers_line_lights_every_call_of_it():
    picked = Pick(((HELPER,),), anywhere=True)
    assert lit(Language.SASS, picked, (HELPER, CALL), (HELPER, OTHER_CALL), (CALL,)).strong == {0, 1}


def test_an_operation_of_a_helper_does_not_light_the_helpers_other_calls():
    picked = Pick(((HELPER, CALL),))
    assert lit(Language.SASS, picked, (HELPER, CALL), (HELPER, OTHER_CALL)).all == {0}


def test_an_operation_of_a_helper_does_not_light_what_else_its_caller_does():
    assert lit(Language.SASS, Pick(((HELPER, CALL),)), (CALL,)) == NOTHING


def test_a_side_without_callers_still_matches():
    assert lit(Language.SASS, Pick(((HELPER, CALL),)), (HELPER,)).strong == {0}
    assert lit(Language.MLIR, Pick(((HELPER,),)), (HELPER, CALL)).strong == {0}


def test_another_column_of_the_same_line_is_weak():
    elsewhere = CALL._replace(column=30)
    unknown = CALL._replace(column=0)
    found = lit(Language.SASS, Pick(((CALL,),)), (CALL,), (elsewhere,), (unknown,))
    assert (found.strong, found.weak) == ({0, 2}, {1})


def test_the_source_shows_the_innermost_place_and_the_calls_to_it():
    source = Document(
        "kernel.py", Language.PYTHON, ("",) * 30, {n: ((Place("kernel.py", n + 1),),) for n in range(30)}
    )
    found = LinkIndex(source).lit(Pick(((HELPER, CALL),)))
    assert found.strong == {CALL.line - 1}
    own = Pick(((Place("kernel.py", 3), CALL),))
    assert LinkIndex(source).lit(own) == Lit(frozenset({2}), frozenset({CALL.line - 1}))


def test_files_come_innermost_first():
    assert files_of(Pick(((HELPER, CALL),))) == ("helper.py", "kernel.py")


places = st.builds(Place, st.sampled_from(["a.py", "b.py"]), st.integers(1, 4), st.integers(0, 2))
chains = st.lists(places, min_size=1, max_size=3).map(tuple)


@given(chains, chains)
def test_two_lines_of_machine_text_light_each_other_or_neither(one: Chain, other: Chain):
    forth = lit(Language.MLIR, Pick((one,)), other)
    back = lit(Language.SASS, Pick((other,)), one)
    assert forth == back


@given(st.lists(chains, min_size=1, max_size=6))
def test_a_line_always_lights_itself(listed: list[Chain]):
    whole = document(Language.MLIR, *listed)
    index = LinkIndex(whole)
    assert all(n in index.lit(pick(whole, n)).strong for n in range(len(listed)))


@pytest.fixture(scope="module")
def ir() -> IrText:
    text = samples.capture().kernels[0].stages["ttgir"]
    return located(ir_text("ttgir", text, Form.SHORT), parse_module(text))


@pytest.fixture(scope="module")
def sass() -> Document:
    return assembly_document(samples.capture().kernels[0], "sass")


def lines_with(document: Document, word: str) -> set[int]:
    return {n for n, line in enumerate(document.lines) if word in line}


def test_recorded_store_lights_the_stores_and_no_load(ir: IrText, sass: Document):
    store = next(iter(lines_with(ir.document, "tt.store")))
    found = LinkIndex(sass).lit(pick(ir.document, store))
    assert lines_with(sass, "STG.E") <= found.strong
    assert not lines_with(sass, "LDG.E") & found.all


def test_recorded_load_line_lights_its_inlined_helper(ir: IrText):
    source = source_document(samples.FILE, samples.capture().sources)
    found = LinkIndex(ir.document).lit(pick(source, samples.LOAD_LINE - 1))
    helper = LinkIndex(ir.document).lit(pick(source, samples.HELPER_LINE - 1))
    assert helper.strong
    assert helper.strong < found.strong
    assert lines_with(ir.document, "tt.load") <= found.strong


def test_recorded_ptx_lights_the_same_line(ir: IrText):
    ptx = assembly_document(samples.capture().kernels[0], "ptx")
    load = next(iter(lines_with(ir.document, "tt.load")))
    assert lines_with(ptx, "ld.global") <= LinkIndex(ptx).lit(pick(ir.document, load)).strong
