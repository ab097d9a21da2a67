"""Reads the Unicode formulas of the package, so that tests compute what the user sees.

Stacked fractions are flattened, then the usual notation becomes Python: juxtaposition is a
product, ² and ^ are powers, √ and ln are functions, p* q* are names, p′ is `p_` and E[M] is `EM`.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

PIECES = [("⎧", "⎨"), ("⎨", "⎩"), ("⎛", "⎜"), ("⎜", "⎝"), ("⎞", "⎟"), ("⎟", "⎠")]

PYTHON = {
    "E[M]": "EM",
    "*": "_star",
    "′": "_",
    "β": " β ",
    "√": " sqrt ",
    "−": "-",
    "²": "**2",
    "^": "**",
    "[": "(",
    "]": ")",
    "⎜": "(",
    "⎟": ")",
}
"""How a formula's signs are spelt in Python; in this order, as both kinds of star occur."""


def terms_at(row: str, bar: re.Match[str]) -> list[re.Match[str]]:
    """The terms of a row above or below a fraction bar that overlap it; single spaces inside."""
    row = re.sub("[⎛⎝⎞⎠]", " ", row)
    terms = re.finditer(r"\S+(?: \S+)*", row)
    return [m for m in terms if m.start() < bar.end() and bar.start() < m.end()]


def misaligned(block: str) -> list[str]:
    """What is out of line: a brace piece not above the next one, a term that overhangs its bar."""
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


def value(formula: str, **names: float) -> float:
    """The value of one line; what stands before "=" and after three spaces is left out."""
    text = re.split(r" {3,}", formula.split("=", 1)[-1].strip())[0]
    for sign, python in PYTHON.items():
        text = text.replace(sign, python)
    text = re.sub(r"sqrt +(\w+)", r"sqrt(\1)", text)
    tokens = re.findall(r"\d+|\w+|\*\*|[-+/()]", text)
    assert "".join(tokens) == text.replace(" ", ""), f"cannot read {formula!r}"
    product = [tokens[0]]
    for left, right in itertools.pairwise(tokens):
        ends = left == ")" or (left[0].isalnum() and left not in ("ln", "sqrt"))
        product += ["*", right] if ends and (right == "(" or right[0].isalnum()) else [right]
    scope: dict[str, Any] = {"e": math.e, "ln": math.log, "sqrt": math.sqrt, **names}
    return float(eval("".join(product), {"__builtins__": {}}, scope))
