"""Words that people know find what the program calls otherwise."""

from __future__ import annotations

import pytest

from ldptui.catalogue import kind_words
from ldptui.screens.library_screen import entries
from ldptui.text.synonyms import are_in
from ldptui.widgets.picker import Offer, rank_of


@pytest.mark.parametrize("typed", ["randomised response", "randomized", "Warner", "kRR", "coin"])
def test_randomised_response_is_found_by_its_names(typed: str) -> None:
    words = kind_words("protocol", "grr")
    assert Offer("grr", "GRR", words.reason).rank(typed) is not None
    assert Offer("oue", "OUE", "big d").rank(typed) is None


@pytest.mark.parametrize(
    ("typed", "text"),
    [("defense", "Defences"), ("poison", "An attack"), ("bots", "fake users"),
     ("attribute privacy", "What would this table disclose? (Disclose)"),
     ("k-anonymity", "What would this table disclose?"), ("reidentification", "Guess"),
     ("teach", "Ledger"), ("table gives away", "What does a table give away?"),
     ("campaigns", "Add a phase"),
     ("phase", "A campaign of bots"), ("lecture", "What would this disclose?")],
)  # fmt: skip
def test_other_words_are_known(typed: str, text: str) -> None:
    assert are_in(typed, text)
    assert not are_in(f"{typed} olh", text)


def test_a_hyphen_is_a_blank() -> None:
    ranks = [rank_of("norm-s", name, "") for name in ("norm-sub", "norm-mul")]
    assert ranks[0] < ranks[1]


def test_two_letters_stand_for_nothing_else() -> None:
    assert not are_in("bo", "fake")


def test_the_library_is_searched_so() -> None:
    found = [entry.name for entry in entries() if entry.matches("poison bot")]
    assert "quickstart" in found
