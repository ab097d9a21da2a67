"""Claims about frequencies in words: "apple > pear", "fig in top 5", "a + b > 2 %"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

import numpy as np

from ..base.errors import ScenarioError, got
from ..bounds.claims import Claim, Sum, above, in_top

TOKEN: Final = re.compile(
    r"""\s*(?:(?P<quoted>"[^"]*"|'[^']*')|(?P<sign>[<>+])|(?P<words>[^\s<>+"'][^<>+"']*))"""
)
"""A name in quotes, a sign, or words up to the next sign."""

RANKED: Final = re.compile(r"(?s)\s*(?P<item>.*\S)\s+in\s+(?:the\s+)?top\s+(?P<k>\d+)\s*")

FORMS: Final = '"A > B", "A + B > C", "A > 0.02", "A < 2 %" or "A in top 5"'


class ClaimError(ScenarioError):
    """A claim that is none. text : the claim. place : of the character that is wrong, from 0."""

    def __init__(self, rule: str, text: str, place: int) -> None:
        super().__init__(rule, key="claim")
        self.text, self.place = text, place

    @property
    def pointed(self) -> tuple[str, str]:
        """The claim, and for the line beneath it a caret where it is wrong."""
        return f"  {self.text}", f"  {' ' * self.place}^"


@dataclass(frozen=True)
class _Part:
    """A token of a claim and its place. sign : "<", ">", "+", or "" where it is a name."""

    text: str
    place: int
    sign: str = ""
    quoted: bool = False


def claim_of(text: str, labels: Sequence[str]) -> Claim:
    """The claim of a text about items with these names; raises ClaimError.

    A name that is also a number means the item. Names with signs in them stand in quotes.
    """
    items = {label.strip(): item for item, label in enumerate(labels)}
    found = RANKED.fullmatch(text)
    if found is not None:
        item = _item(_unquoted(found["item"]), text, found.start("item"), items)
        k = int(found["k"])
        if not 0 < k < len(labels):
            rule = f"must ask for a top of 1 to {len(labels) - 1} items, {got(k)}"
            raise ClaimError(rule, text, found.start("k"))
        return in_top(item, k)
    return above(_sum(text, items))


def _sum(text: str, items: Mapping[str, int]) -> Sum:
    """The sum that the claim says to be above a level."""
    weights, level, side, sign = dict[int, float](), 0.0, 1.0, ""
    wanted = True  # whether a name or a number has to come next
    parts = _parts(text)
    for part in parts:
        if wanted == bool(part.sign):
            needed = "an item or a number" if wanted else "one of +, > and <"
            _refuse(f"must have {needed} at the caret", text, part.place)
        wanted = not wanted
        if part.sign in ("<", ">"):
            if sign:
                _refuse("must compare once", text, part.place)
            sign, side = part.sign, -1.0
        elif not part.sign:
            number = None if part.quoted or part.text in items else _number(part.text)
            if number is None:
                item = _item(part.text, text, part.place, items)
                weights[item] = weights.get(item, 0.0) + side
            else:
                level -= side * number
    if wanted or not sign:
        needed = "an item or a number at the end" if wanted else "a comparison, > or <"
        _refuse(f"must have {needed}", text, len(text.rstrip()))
    kept = {item: weight for item, weight in weights.items() if weight}
    if not kept:
        _refuse("must not have the same on both sides", text, 0)
    turn = 1.0 if sign == ">" else -1.0
    return Sum(np.array([*kept]), turn * np.array([*kept.values()]), turn * level)


def _parts(text: str) -> list[_Part]:
    parts, at = list[_Part](), 0
    while at < len(text.rstrip()):
        found = TOKEN.match(text, at)
        if found is None:
            _refuse("must close its quotes", text, at + len(text[at:]) - len(text[at:].lstrip()))
        at = found.end()
        if found["sign"]:
            parts.append(_Part(found["sign"], found.start("sign"), found["sign"]))
        elif found["quoted"]:
            parts.append(_Part(found["quoted"][1:-1].strip(), found.start("quoted"), quoted=True))
        else:
            parts.append(_Part(found["words"].strip(), found.start("words")))
    return parts


def _refuse(rule: str, text: str, place: int) -> NoReturn:
    raise ClaimError(f"{rule}, as in {FORMS}, {got(text)}", text, place)


def _unquoted(name: str) -> str:
    return name[1:-1].strip() if len(name) > 1 and name[0] == name[-1] in "\"'" else name.strip()


def _item(name: str, text: str, place: int, items: Mapping[str, int]) -> int:
    if name not in items:
        raise ClaimError(f"must name items of the domain, {got(name)}", text, place)
    return items[name]


def _number(words: str) -> float | None:
    """A frequency: 0.02, or 2 %; None for words."""
    digits = words.removesuffix("%").strip()
    try:
        value = float(digits)
    except ValueError:
        return None
    return (value / 100 if words.endswith("%") else value) if np.isfinite(value) else None
