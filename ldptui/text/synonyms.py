"""Words that are searched for, and the words that are meant by them."""

from __future__ import annotations

from typing import Final

SYNONYMS: Final = {
    "randomised": ("randomized", "grr", "randomised"),
    "randomized": ("randomised", "grr"),
    "response": ("grr",),
    "warner": ("grr",),
    "coin": ("grr", "report"),
    "krr": ("grr",),
    "bot": ("fake",),
    "bots": ("fake",),
    "poison": ("attack", "fake"),
    "poisoning": ("attack", "fake"),
    "defense": ("defence",),
    "attribute": ("disclose", "give away"),
    "k-anonymity": ("disclose", "give away"),
    "anonymity": ("disclose", "give away"),
    "reidentification": ("disclose", "guess"),
    "privacy": ("ε", "epsilon", "disclose"),
    "budget": ("ε", "epsilon"),
    "campaigns": ("campaign", "phase"),
    "phases": ("phase", "campaign", "script"),
    "mixture": ("mixed", "script"),
    "teaching": ("ledger", "disclose", "sensitivity", "synthetic"),
    "lecture": ("ledger", "disclose", "sensitivity", "randomised"),
}
"""Words that people know for what the program calls otherwise."""
LEAST: Final = 3
"""Letters of a word that begins one of these, at the least."""


def is_in(word: str, text: str) -> bool:
    """True if a word or one of its synonyms occurs in a text; both in lower case."""
    if word in text:
        return True
    meant = [
        other for known, others in SYNONYMS.items()
        if len(word) >= LEAST and known.startswith(word) for other in others
    ]  # fmt: skip
    return any(other in text for other in meant)


def are_in(words: str, text: str) -> bool:
    """True if all typed words, or synonyms of them, occur in a text."""
    plain = text.casefold()
    return all(is_in(word, plain) for word in words.casefold().split())
