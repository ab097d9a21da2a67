"""Reads the Unicode formulas of the package, so that tests compute what the user sees.

Stacked fractions are flattened, then the usual notation becomes Python: juxtaposition is a
product, ² and ^ are powers, √ and ln are functions, p* q* are names, p′ is `p_` and E[M] is `EM`.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import fields
from statistics import NormalDist
from typing import Any
from unicodedata import normalize

import numpy as np

from ldptui.catalogue import key_words
from ldptui.core.protocols import KINDS

PIECES = [("⎧", "⎨"), ("⎨", "⎩"), ("⎛", "⎜"), ("⎜", "⎝"), ("⎞", "⎟"), ("⎟", "⎠")]

PYTHON = {
    "E[M]": "EM",
    "*": "_star",
    "′": "_",
    "β": " β ",
    "θ": " θ ",
    "∞": "_inf",
    "₁": "1",
    "₂": "2",
    "√": " sqrt ",
    "−": "-",
    "²": "**2",
    "^": "**",
    "[": "(",
    "]": ")",
    "⎜": "(",
    "⎟": ")",
}
"""The spelling of a formula's signs in Python; in this order, as both kinds of star occur."""

DERIVED = {
    "g": "hash_range",
    "B": "blocks",
    "b": "block_size",
    "K": "messages",
    "k₁": "agreeing",
    "k₂": "shared",
}
"""The numbers that a protocol derives from its keys, by the letters of its formulas."""

FUNCTIONS: dict[str, Any] = {"ln": math.log, "sqrt": math.sqrt, "tanh": math.tanh}


def terms_at(row: str, bar: re.Match[str]) -> list[re.Match[str]]:
    """The terms of a row above or below a fraction bar that overlap it; single spaces inside."""
    row = re.sub("[⎛⎝⎞⎠]", " ", row)
    terms = re.finditer(r"\S+(?: \S+)*", row)
    return [m for m in terms if m.start() < bar.end() and bar.start() < m.end()]


def misaligned(block: str) -> list[str]:
    """The pieces out of line: a brace not above the next one, a term that overhangs its bar."""
    rows = block.split("\n")
    faults = []
    for above, below in itertools.pairwise(rows):
        for upper, lower in PIECES:
            columns = [i for i, c in enumerate(above) if c == upper]
            if columns != [i for i, c in enumerate(below) if c == lower]:
                faults.append(f"{upper}{lower}")
    for index, row in enumerate(rows):
        for bar in re.finditer("─+", row):
            for other in rows[index - 1], rows[index + 1]:
                over = terms_at(other, bar)
                if len(over) != 1:
                    faults.append(f"{len(over)} terms on one side of a bar")
                if any(m.start() < bar.start() or bar.end() < m.end() for m in over):
                    faults.append(f"overhang: {other}")
    return faults


def flat(block: str) -> list[str]:
    """The lines of a formula with every stacked fraction written as ((above) / (below))."""
    rows = block.split("\n")
    barred = [i for i, row in enumerate(rows) if "─" in row]
    lines = []
    for index, row in enumerate(rows):
        if index in barred:
            for bar in reversed(list(re.finditer("─+", row))):
                (above,), (below,) = terms_at(rows[index - 1], bar), terms_at(rows[index + 1], bar)
                quotient = f"(({above[0]}) / ({below[0]}))"
                row = row[: bar.start()] + quotient + row[bar.end() :]
            lines.append(row)
        elif index - 1 not in barred and index + 1 not in barred:
            lines.append(row)
    return lines


def symbols(kind: str, protocol: Any) -> dict[str, float]:
    """The numbers of a bound protocol by their symbols: ε, d, p, q, those of its keys and code."""
    numbers = {"d": protocol.domain_size, "p": protocol.p, "q": protocol.q}
    for key in fields(KINDS[kind]):
        number = getattr(protocol, key.name, None)
        if isinstance(number, int | float):
            numbers.setdefault(key_words(f"protocol.{key.name}").symbol, number)
    if hasattr(protocol, "chain"):
        numbers |= {"ε₁": protocol.epsilon, "ε∞": protocol.epsilon_infinity}
    if hasattr(protocol, "response"):
        numbers["A₂"] = protocol.response.odds
    if hasattr(protocol, "block_size"):  # the mean over all items, all others alike
        d = protocol.domain_size
        items = np.bincount(np.arange(d) // (protocol.block_size - 1))
        numbers["F_b"] = float((items * (items - 1)).sum() / (d * (d - 1)))
    derived = {sign: getattr(protocol, name, None) for sign, name in DERIVED.items()}
    return numbers | {sign: number for sign, number in derived.items() if number is not None}


def _spelt(text: str) -> str:
    for sign, python in PYTHON.items():
        text = text.replace(sign, python)
    return text


def value(formula: str, **names: float) -> float:
    """The value of one line; what stands before "=" and after three spaces is left out."""
    text = re.split(r" {3,}", formula.split("=", 1)[-1].strip())[0]
    text = _spelt(text)
    text = re.sub(r"sqrt +(\w+)", r"sqrt(\1)", text)
    tokens = re.findall(r"\d+|\w+|\*\*|[-+/()]", text)
    assert "".join(tokens) == text.replace(" ", ""), f"cannot read {formula!r}"
    product = [tokens[0]]
    for left, right in itertools.pairwise(tokens):
        ends = left == ")" or (left[0].isalnum() and left not in FUNCTIONS)
        product += ["*", right] if ends and (right == "(" or right[0].isalnum()) else [right]
    scope = {"e": math.e, **FUNCTIONS, **{_spelt(name).strip(): n for name, n in names.items()}}
    letters = {normalize("NFKC", token) for token in tokens if token.isidentifier()}  # as Python
    unknown = letters - set(scope)
    assert not unknown, f"{formula!r} has {unknown}: teach tests/support/formulas.py its numbers"
    return float(eval("".join(product), {"__builtins__": {}}, scope))


def recomputed(substituted: str) -> float | None:
    """What a pocket calculator makes of the numbers of a formula; None where words are in it."""
    text = re.sub(r"(?<=\d) (?=\d{3})", "", substituted)
    text = text.replace("·", "*").replace("−", "-").replace("²", "**2").replace("^", "**")
    text = text.replace("[", "(").replace("]", ")").replace("ln(", "log(").replace("log₂ ", "log2(")
    for mark, name in (("⌊", "floor("), ("⌈", "ceil("), ("⌋", ")"), ("⌉", ")")):
        text = text.replace(mark, name)
    text = re.sub(r"log2\(([\d.]+)", r"log2(\1)", text).replace("log( ", "log(")
    text = re.sub(r"√([\d.e-]+)", r"sqrt(\1)", text).replace("√(", "sqrt(")
    text = text.replace(" of squared bias", "").replace(" of variance", "")
    names: dict[str, Any] = {
        "log2": math.log2, "log": math.log, "sqrt": math.sqrt, "floor": math.floor,
        "ceil": math.ceil, "round": round, "min": min, "Φ": NormalDist().cdf,
    }  # fmt: skip
    if not re.fullmatch(rf"(?:[\d.e+*/(), -]|{'|'.join(names)})+", text):
        return None
    return float(eval(text, {"__builtins__": {}}, names))
