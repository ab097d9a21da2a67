"""Words that are searched for, and the words that are meant by them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

SYNONYMS: Final = {
    "randomised": ("randomized", "grr", "randomised"),
    "randomized": ("randomised", "grr"),
    "coin": ("grr", "report"),
    **dict.fromkeys(("response", "warner", "krr", "k-rr"), ("grr",)),
    "bot": ("fake",),
    "poison": ("attack", "fake"),
    "poisoning": ("attack", "fake"),
    "defense": ("defence",),
    "attribute": ("disclose", "give away"),
    "k-anonymity": ("disclose",),
    "anonymity": ("disclose",),
    "reidentification": ("disclose", "guess"),
    "privacy": ("ε", "epsilon", "disclose"),
    "budget": ("ε", "epsilon"),
    "campaign": ("phase",),
    "phase": ("campaign", "script"),
    "mixture": ("mixed", "script"),
    "teaching": ("ledger", "disclose", "sensitivity", "synthetic"),
    "pdf": ("export",),
    "svg": ("export",),
    "timeline": ("phase",),
    "overlay": ("pane 5",),
    **dict.fromkeys(("new", "own", "write"), ("python",)),
    "compare": ("runs: diff", "overlay", "my deployment"),
    "confidence": ("interval", "conclude", "tab: trials"),
    "interval": ("conclude", "tab: trials"),
    "lecture": ("ledger", "disclose", "sensitivity", "randomised"),
}
"""Words that people know for what the program calls otherwise."""
LEAST: Final = 3
"""Letters of a word that begins one of these, at the least."""


@lru_cache(maxsize=256)
def meant_words(word: str) -> tuple[str, ...]:
    """The words that stand for a word, in small letters: itself, its singular and what it means."""
    single = word.removesuffix("s") if len(word) > LEAST else word
    meant = (
        other for known, others in SYNONYMS.items()
        if len(word) >= LEAST and known.startswith(single) for other in others
    )  # fmt: skip
    return tuple(dict.fromkeys((single, *meant)))


def are_in(words: str, text: str) -> bool:
    """True if all typed words, or synonyms of them, occur in a text."""
    plain = text.casefold()
    return all(
        any(meant in plain for meant in meant_words(word)) for word in words.casefold().split()
    )
