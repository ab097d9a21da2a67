"""Claims about frequencies as texts: "apple > pear", "fig in top 5", "a + b > 2 %"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ..base.errors import ScenarioError, got
from ..bounds.claims import Claim, Sum, above, in_top

TOKEN: Final = re.compile(r"""\s*("[^"]*"|'[^']*'|[<>+]|[^<>+"']+)""")
"""A name in quotes, a sign, or words up to the next sign."""
RANKED: Final = re.compile(r"(?s)\s*(?P<item>.*\S)\s+in\s+(?:the\s+)?top\s+(?P<k>\d+)\s*")
FORMS: Final = '"A > B", "A + B > C", "A > 0.02", "A < 2 %" or "A in top 5"'


def claim_of(text: str, labels: Sequence[str]) -> Claim:
    """The claim about items that a text states; raises ScenarioError if the text is no claim.

    A label that is also a number means the item. Labels with signs stand in quotes.
    """
    items = {label.strip(): item for item, label in enumerate(labels)}
    if (found := RANKED.fullmatch(text)) is not None:
        item, k = _item(found["item"].strip(), items), int(found["k"])
        if not 0 < k < len(labels):
            raise ScenarioError(f"must ask for a top of 1 to {len(labels) - 1} items, {got(k)}",
                                key="claim")  # fmt: skip
        return in_top(item, k)
    parts = [part.strip() for part in TOKEN.findall(text) if part.strip()]
    signs = [at for at, part in enumerate(parts) if part in ("<", ">")]
    if len(signs) != 1 or "".join("".join(parts).split()) != "".join(text.split()):
        raise _refusal("must compare once, and close its quotes", text)
    weights, level = dict[int, float](), 0.0
    for side, terms in ((1.0, parts[: signs[0]]), (-1.0, parts[signs[0] + 1 :])):
        if {*terms[1::2]} - {"+"} or "+" in terms[::2] or not len(terms) % 2:
            raise _refusal("must have sums of items and of numbers on both sides", text)
        for term in terms[::2]:
            number = None if term in items else _number(term)
            if number is None:
                item = _item(term, items)
                weights[item] = weights.get(item, 0.0) + side
            else:
                level -= side * number
    kept = {item: weight for item, weight in weights.items() if weight}
    if not kept:
        raise _refusal("must not have the same on both sides", text)
    turn = 1.0 if parts[signs[0]] == ">" else -1.0
    return above(Sum(np.array([*kept]), turn * np.array([*kept.values()]), turn * level))


def _refusal(rule: str, text: str) -> ScenarioError:
    return ScenarioError(f"{rule}, as in {FORMS}, {got(text)}", key="claim")


def _item(name: str, items: Mapping[str, int]) -> int:
    plain = name[1:-1].strip() if len(name) > 1 and name[0] == name[-1] in "\"'" else name
    if plain not in items:
        raise ScenarioError(f"must name items of the domain, {got(plain)}", key="claim")
    return items[plain]


def _number(words: str) -> float | None:
    """A frequency: 0.02, or 2 %; None for words."""
    try:
        value = float(words.removesuffix("%").strip())
    except ValueError:
        return None
    return (value / 100 if words.endswith("%") else value) if np.isfinite(value) else None
