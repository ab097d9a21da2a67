"""The words of the lab's help: its fields, its answers, and the notions behind a topic.

The data is `words.toml`, beside this module.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..catalogue.keys import has_words, key_words
from ..catalogue.toml_rows import rows


@dataclass(frozen=True)
class LabField:
    """The help of one field of the lab: `formula` is lines of at most 76 cells, the rest prose.

    key : the field's key in a scenario, if it has one; else its name.
    allowed : the allowed values; "" if the catalogue has them under `key`.
    """

    key: str
    label: str
    symbol: str = ""
    meaning: str = ""
    allowed: str = ""
    formula: str = ""
    source: str = ""

    @property
    def title(self) -> str:
        """The label and the symbol: `privacy budget ε`."""
        if self.label.endswith(f" {self.symbol}"):
            return self.label
        return f"{self.label} {self.symbol}".rstrip()


@dataclass(frozen=True)
class Notion:
    """A notion behind a question of the lab; `reason` is one line, `text` prose."""

    topic: str
    notion: str
    name: str
    reason: str
    text: str
    formula: str
    source: str


def lab_field_help(name: str) -> LabField | None:
    """The help of a field of the lab, such as `epsilon`; None if it has none."""
    row = rows("words", __package__)["field"].get(name)
    if row is None:
        key = f"protocol.{name}"
        words = key_words(key)
        about = words.name, words.symbol, words.meaning, "", words.formula, words.source
        return LabField(key, *about) if has_words(key) else None
    return LabField(name, **row)


def answer_words(topic: str) -> str:
    """The question of a topic of the lab and the meaning of its answer, in plain sentences."""
    return str(rows("words", __package__)["answer"][topic])


def notions(topic: str) -> tuple[Notion, ...]:
    """The notions behind a question of the lab, each with its formula and source."""
    table = rows("words", __package__)["notion"].get(topic, {})
    return tuple(Notion(topic, notion, **row) for notion, row in table.items())
