"""The list of equations: complete, set to fit a terminal, and its corrections right in numbers."""

from __future__ import annotations

import unicodedata

import pytest
from rich.cells import cell_len
from support.formulas import misaligned
from support.kinds import CAO_ATTACKS

from ldptui.core.protocols import KINDS
from ldptui.explain.equation_list import Equation, equations, search

VERDICTS = {
    **dict.fromkeys([4, 5, 6, 9, 10, 12, 15, 16, 19, 20, 21, 22, 23, 25, 27, 28, 36, 37, 39], "ok"),
    **dict.fromkeys([1, 2, 3, 7, 8, 11, 13, 14, 17, 18, 24, 30, 32, 38], "loose"),
    **dict.fromkeys([26, 29, 34, 40, 41], "wrong"),
    **dict.fromkeys([31, 33, 35], "missing"),
}
GAINS = [f"gain-{p}-{a}" for p in ("krr", "oue", "olh") for a in CAO_ATTACKS[::-1]]
SLIDES = ["slide-1", "slide-2", "slide-3", "slide-4"]

each = pytest.mark.parametrize("equation", equations(), ids=lambda e: e.id)


def ids(found: tuple[Equation, ...]) -> list[str]:
    return [e.id for e in found]


# ------------------------------------------------------------------ the data


def test_the_list_is_complete_and_in_order() -> None:
    assert [e.number for e in equations()] == [*range(1, 42), *[None] * 13]
    assert ids(equations()) == [*(f"eq-{n}" for n in range(1, 42)), *GAINS, *SLIDES]


def test_verdicts_are_those_of_the_errata() -> None:
    assert {e.number: e.verdict for e in equations() if e.number} == VERDICTS
    assert {e.verdict for e in equations() if e.number is None} == {"ok"}


@each
def test_verdict_note_and_correction_go_together(equation: Equation) -> None:
    if equation.verdict == "ok":
        assert not equation.note
        assert not equation.corrected
    else:
        assert equation.note
        assert equation.corrected != equation.printed
        assert equation.corrected
        assert not equation.remark


@each
def test_every_text_fits_a_terminal(equation: Equation) -> None:
    for block in (equation.printed, equation.corrected):
        assert all(cell_len(line) <= 76 for line in block.split("\n"))
        assert block == block.strip("\n")
        assert not any(line != line.rstrip() for line in block.split("\n"))
    for line in (equation.title, equation.part, equation.source, equation.note, equation.remark):
        assert cell_len(line) <= 96
        assert "\n" not in line
    shown = equation.printed + equation.corrected + equation.note + equation.remark + equation.title
    for character in set(shown) - {"\n"}:
        # No controls, no combining marks (a terminal may drop the tilde of an estimate), not wide.
        assert unicodedata.category(character)[0] not in "CM", repr(character)
        assert cell_len(character) == 1, repr(character)


@each
def test_braces_and_fraction_bars_line_up(equation: Equation) -> None:
    for block in (equation.printed, equation.corrected):
        assert misaligned(block) == []


def test_misalignment_is_noticed() -> None:
    assert misaligned("     a + b\nx = ───────\n       c") == []
    assert misaligned("     a + b\nx =    ────\n       c") != []
    assert misaligned("x = ─────\n  c") != []
    assert misaligned("     ⎧ 1\nx = ⎨\n    ⎩ 0") != []


# ------------------------------------------------------------------ search


def test_search_finds_by_number_first() -> None:
    assert ids(search("29"))[0] == "eq-29"
    assert ids(search("eq 29"))[0] == "eq-29"
    assert ids(search("Equation 2"))[0] == "eq-2"
    assert "eq-22" not in ids(search("2"))


def test_search_finds_by_words_whatever_their_case_and_order() -> None:
    assert ids(search("Variance OUE")) == ids(search("oue vari"))
    assert ids(search("variance oue"))[0] == "eq-13"
    assert ids(search("longitudinal")) == ["eq-37", "slide-4"]
    assert {e.number for e in search("wrong")} == {26, 29, 34, 40, 41}
    assert search("no such thing") == ()
    assert search("  ") == equations()


@pytest.mark.parametrize("protocol", sorted({p for e in equations() for p in e.protocols}))
def test_search_finds_by_protocol(protocol: str) -> None:
    found = ids(search(protocol))
    assert protocol in KINDS
    assert found
    assert {e.id for e in equations() if protocol in e.protocols} <= set(found)


def test_search_puts_titles_and_keys_before_notes() -> None:
    assert ids(search("hash function")) == ["eq-30"]
    assert ids(search("label")) == ["eq-24", "eq-26", "eq-40", "eq-41"]  # notes only
    found = ids(search("true"))  # "true positive" in title or keys; only the note of 38 has it
    assert found[0] == "eq-6"
    assert found[-1] == "eq-38"
