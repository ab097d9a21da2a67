"""Every row of every family: its text gives the number that `core` computes, and it is shown."""

from __future__ import annotations

import importlib
import itertools
import math
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from support.cases import cell
from support.kinds import task_of

from ldptui import explain
from ldptui import scenarios as bundled
from ldptui.core.attacks import ATTACKS
from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.protocols import KINDS
from ldptui.core.scenario import load
from ldptui.explain.attack_formulas import kind_of
from ldptui.explain.formula import (
    Formula,
    KnownNumbers,
    fill_template,
    put_in,
    sides,
    symbols,
    value_of,
)
from ldptui.explain.formula_inputs import FormulaSetting, bound, setting_of
from ldptui.explain.formula_list import cell_formulas, formulas

POPULATION = {"kind": "zipf", "items": 40, "users": 5000, "exponent": 1.0}
SHIPPED = [kind for kind in KINDS if kind != "plugin"]
LAWS = {law: kind_of(law) for spec in ATTACKS.values() if (law := getattr(spec, "report_law", ""))}
TABLES: dict[str, list[dict[str, Any]]] = {
    "ue": [{"keep": 0.8}],
    "lh": [{"hash_range": 5}],
    "hst": [{"coin": "user"}, {"coin": "public"}],
    "the": [{}, {"theta": 0.7}],
    "olh": [{}, {"hash_range": "ceil"}, {"hash_range": "floor"}],
    "ss": [{}, {"subset_size": 3}],
    "dbitflip": [{}, {"sampled": 1}, {"chooser": "client"}],
    "l-grr": [{}, {"calibration": "published"}],
    "rappor": [
        {"f": 0.5},
        {"f": 0.0},
        {"f": 0.5, "adjust": "benjamini-hochberg"},
        {"form": "basic"},
    ],
}


@cache
def shown(kind: str) -> list[Formula]:
    return list(_shown(kind))


def _shown(kind: str) -> Iterator[Formula]:
    """The formulas of a kind: at a setting with every number, and of cells under every attack."""
    numbers = {"users": 9000, "share": 0.05, "r": 1, "held": 0.02, "mean": 0.3}
    for table in TABLES.get(kind, [{}]):
        keys = {"kind": kind, **({} if kind == "rappor" else {"epsilon": 1.0}), **table}
        yield from formulas(bound(KINDS[kind](**keys), 40, **numbers))
        for law, targets in itertools.product((None, *LAWS), ([1, 2, 5], [4])):
            attack = {"kind": LAWS.get(law, ""), "share": 0.1, "targets": {"items": targets}}
            attack |= {"subset": 1} if law == "subset" else {}
            try:
                yield from cell_formulas(
                    cell(POPULATION, keys, attack if law else None, **task_of(kind))
                )
            except ScenarioError:
                continue


OTHERWISE = {
    "S = p + {(r − 1)} q": "of sketches: the number has what targets that share buckets add",
    "w* = d / (e^ε + 1), up or down to an integer": "the text is before rounding",
    "k-th p-value ≤ α k/M: benjamini-hochberg": "k is no number of hashes there",
    "Var*[c~ᵥ] / n = (2 + (e^ε − 1) F_b)(e^ε − 1 + 2B) / (e^ε − 1)²": "F_b is a mean there",
}
"""The texts that are not the number beside them, and why."""


@pytest.mark.every(7)
@pytest.mark.parametrize("kind", SHIPPED)
def test_the_text_gives_the_number_of_the_core(kind: str) -> None:
    computed = 0
    for row in shown(kind):
        try:
            number = value_of(sides(row.text)[1], row.numbers)
        except (KeyError, ValueError, ZeroDivisionError):  # words, or nothing to compute with
            continue
        if row.title and row.text not in OTHERWISE:
            assert number == pytest.approx(row.value, rel=1e-9, abs=1e-12), row
            computed += 1
    assert computed >= 40


ELSEWHERE = ("heavy_hitters_formulas", "formula_list")
"""The modules whose rows tasks, verifiers and trust have, or that import the rows of others."""

SELDOM = ("SIFTED",)
"""The rows of verifiers."""

RARE = {"p", "q", "ε of R reports of one item, exact"}
"""The rows of a family without a explanation, and of campaigns."""


def test_every_row_is_shown() -> None:
    """A row whose numbers have another name would silently be left out."""
    seen = {(row.title, row.text) for kind in SHIPPED for row in shown(kind)}
    trusted = load(bundled.path("trust-circuits"))
    gaussian = trusted.set({"trust.noise": "gaussian", "trust.delta": 1e-6})
    cells = (*compile(trusted).cells, *compile(gaussian).cells)
    seen |= {(row.title, row.text) for one in cells for row in formulas(setting_of(one))}
    several = load(bundled.path("attributes"))
    pair = several.set({"task.solution": "spl", "task.joint": ["sex", "income"]})
    for one in (*compile(several).cells, *compile(pair).cells):
        seen |= {(row.title, row.text) for row in cell_formulas(one)}
    names = [name for _, name, _ in pkgutil.iter_modules(explain.__path__)]
    for name in {*names} - {*ELSEWHERE}:
        for constant, value in vars(importlib.import_module(f"ldptui.explain.{name}")).items():
            for row in () if constant in SELDOM else rows_in(value):
                assert (row.title, row.text) in seen or row.text in RARE, name


def rows_in(value: object) -> Iterator[Formula]:
    if isinstance(value, Formula):
        yield value
    elif isinstance(value, tuple | Mapping):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from rows_in(part)


NUMBERS = {
    "p": 0.75, "q": 0.25, "n": 9 * 10**12, "r": 20_000, "d": 20_000, "ε": 1.0,
    "f_T": -0.5, "Var[f~ᵥ]": 4.0, "θ": 0.5, "1 − p − q": 0.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "value"),
    [
        ("a = {(1 − q)} / {(p − q)}", "0.75 / 0.5", 1.5),
        ("q(1 − q) / (p − q)²", "0.25 · (1 − 0.25) / (0.75 − 0.25)²", 0.75),
        ("3 e^ε + 2", "3 · 2.718 + 2", 3 * math.e + 2),
        ("e^(−εθ/2) / e^2ε", "0.7788 / 7.389", math.exp(-2.25)),
        ("{(f_T)} n", "(-0.5) · 9e12", -4.5e12),
        ("f_T + {1/3:8}", "-0.5 + 0.33333333", -1 / 6),
        ("{(1 − p − q)} + 1", "0 + 1", 1),
        ("√Var[f~ᵥ] · min(r, d + 1)", "√4 · min(20 000, 20 000 + 1)", 40_000),
        ("⌊p + q²⌋ − ⌈ln(ε)⌉ − −1", "⌊0.75 + 0.25²⌋ − ⌈ln(1)⌉ − −1", 1),
        ("2^(r / d): and so on", "2^(20 000 / 20 000)", 2),
    ],
)
def test_one_text_has_symbols_numbers_and_value(text: str, line: str, value: float) -> None:
    right = sides(text)[1]
    assert put_in(right, NUMBERS) == line
    assert value_of(right, NUMBERS) == pytest.approx(value, rel=1e-15)
    assert "{" not in symbols(text)
    assert fill_template("so {" + "d − 1} it is", NUMBERS) == "so 19 999 it is"


@pytest.mark.parametrize("text", ["", "p +", "(p", "p)", "p ∈ q", "{p", "min(p", "⌊p)"])
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot read"):
        value_of(text, NUMBERS)


def test_a_name_without_a_number_is_an_error() -> None:
    with pytest.raises(KeyError, match="x"):
        value_of("p + x", NUMBERS)


def test_a_row_takes_the_numbers_of_the_rows_before_it() -> None:
    """And a symbol of a row alone is that of the next row which has it."""
    known = KnownNumbers(
        FormulaSetting(bound(KINDS["grr"](kind="grr", epsilon=1.0), 4).protocol, {}), x=3.0
    )
    rows = [Formula("", "y = 2 x"), Formula("", "z = y + 1"), Formula("", "y = z x"),
            Formula("", "w = v"), Formula("", "p = x", key="p")]  # fmt: skip
    values = {row.text: row.value for row in known.fill(rows)}
    assert values == {"y = 2 x": 6, "z = y + 1": 7, "y = z x": 21, "p = x": known["p"]}
    assert known["p"] == pytest.approx(math.e / (math.e + 3))  # of core
    known["y"] = 5
    (row,) = known.fill([Formula("", "y = 2 x")])
    assert row.value == 5


def test_the_sides_of_a_formula() -> None:
    assert sides("G = β S = c") == ("G", "β S")
    assert sides("Pr[M = j] = F, and so on") == ("Pr[M = j]", "F")
    assert sides("d > 3 r ⇒ GRR") == ("", "3 r")
    assert sides("ε₁: what p = q costs") == ("", "ε₁")
