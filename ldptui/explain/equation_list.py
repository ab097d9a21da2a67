"""The equations that ldptui implements and shows, each with a verdict on its printed form.

The data is `equations.toml` beside this module (its head explains the keys). Everything here is
plain text, so that the list costs nothing until somebody opens it.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Literal

import msgspec

from ..catalogue.toml_rows import rows

Verdict = Literal["ok", "loose", "wrong", "missing"]
"""loose: true, but a condition is missing or the label is; missing: was a table in the list."""


@dataclass(frozen=True, kw_only=True)
class Equation:
    """One equation of the list; `printed` and `corrected` are lines of at most 76 cells.

    number : None for the appendix and the slides.
    note : what the verdict means here, "" for "ok".
    remark : a help to read a formula that is ok.
    protocols, attacks : the kinds that it is about; empty for all.
    """

    id: str
    number: int | None = None
    title: str
    part: str
    source: str
    printed: str
    latex: str
    verdict: Verdict
    note: str = ""
    remark: str = ""
    corrected: str = ""
    keys: tuple[str, ...]
    protocols: tuple[str, ...]
    attacks: tuple[str, ...]


@functools.cache
def equations() -> tuple[Equation, ...]:
    """All equations: 1 to 41, the gains of the appendix, the slides on Bloom filters."""
    listed = rows("equations", "ldptui.explain")["equation"]
    return msgspec.convert(listed, tuple[Equation, ...])


def search(text: str) -> tuple[Equation, ...]:
    """The equations that contain every word of `text`, whatever its case; all if `text` is empty.

    A word matches the beginning of a word ("var" finds variance), a number only a whole number ("2"
    does not find 22). The equation of that number comes first, then those with the words in title
    or keys, then those with the words in a note or the source.
    """
    words = _words(text)
    if not words:
        return equations()
    matching = [e for e in equations() if _has_all(words, _names(e) | _prose(e))]
    return tuple(sorted(matching, key=lambda e: _rank(e, words)))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


@functools.cache
def _names(equation: Equation) -> frozenset[str]:
    number = "" if equation.number is None else f"eq equation {equation.number}"
    parts = (equation.id, number, equation.title, *equation.keys)
    return _words(" ".join((*parts, *equation.protocols, *equation.attacks)))


@functools.cache
def _prose(equation: Equation) -> frozenset[str]:
    parts = (equation.note, equation.remark, equation.source, equation.part, equation.verdict)
    return _words(" ".join(parts))


def _has_all(wanted: frozenset[str], words: frozenset[str]) -> bool:
    return all(
        want in words if want.isdecimal() else any(word.startswith(want) for word in words)
        for want in wanted
    )


def _rank(equation: Equation, wanted: frozenset[str]) -> int:
    if str(equation.number) in wanted:
        return 0
    return 1 if _has_all(wanted, _names(equation)) else 2
