"""The words about the keys of a scenario, and how forms, sweeps and charts begin with them.

The data is `keys.toml` beside this module. Types, ranges, choices and defaults are those of the
dataclasses, which `core.scenario` reads.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct, field

from .toml_rows import rows

CODE: Final = ("name", "options")
"""The keys of somebody's code in Python, in any table that may name one."""


class Key(Struct, frozen=True):
    """The catalogue's description of one dotted key of a scenario, such as `protocol.epsilon`.

    name, symbol : "privacy budget", "ε".
    phrase : the name in sentences and on axes.
    brief : in lists of runs.
    head : above a column.
    told : in the line of settings; "" if it is left out there.
    meaning : two plain sentences.
    note : a remark on the allowed values besides type and range.
    formula : lines of at most 76 cells.
    source : the paper.
    sources : papers of single choices, by choice.
    words : labels of choices that differ from their values.
    start : the first value in a form.
    follows : the rule by which that value follows a number of the draft: `of` that number, `part`
        of it, rounded to `digits` or else down, `least` and `most`.
    step : the steps of a number field, small and big, or the name of a grid.
    sweep : the values of a new sweep.
    axis : its order on the x-axis of each chart.
    span : the range of that axis.

    Empty texts and None mean that there is nothing to say.
    """

    key: str
    name: str
    symbol: str = ""
    phrase: str = ""
    brief: str = ""
    head: str = ""
    told: str | None = None
    meaning: str = ""
    note: str = ""
    formula: str = ""
    source: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    start: Any = None
    follows: Mapping[str, Any] = field(default_factory=dict)
    step: Any = None
    sweep: Any = None
    axis: Mapping[str, int] = field(default_factory=dict)
    span: Mapping[str, Any] | None = None

    @property
    def title(self) -> str:
        """The name and the symbol: `privacy budget ε`; `top k` has its symbol already."""
        return self._with_symbol(self.name)

    @property
    def noun(self) -> str:
        """The name of the key in sentences and on axes: `number of items d`."""
        return self._with_symbol(self.phrase or self.name)

    @property
    def first(self) -> str:
        """The first sentence of the meaning, without its full stop."""
        return self.meaning.partition(". ")[0].removesuffix(".")

    @property
    def short(self) -> str:
        """The shortest name of the key: its symbol, `ε`, else its column name."""
        return self.brief or self.symbol or self.column

    @property
    def column(self) -> str:
        """The head of the key's column in tables: its last part, or of a `kind` the name of its
        table.
        """
        table, _, leaf = self.key.rpartition(".")
        return self.head or (table.rpartition(".")[2] if table and leaf == "kind" else leaf)

    @property
    def fact(self) -> str:
        """The name of the key in a line of settings; "" if it is left out there."""
        return self.key.rpartition(".")[2] if self.told is None else self.told

    def _with_symbol(self, name: str) -> str:
        return name if name.endswith(f" {self.symbol}") else f"{name} {self.symbol}".rstrip()


@lru_cache(maxsize=1024)
def key_words(key: str) -> Key:
    """The catalogue's description of a dotted key; all keys below `sweep.` share that of `sweep`.

    A key of a mixture, a phase or the drift has a row of its own (attack.mix.weight), or shares
    that of the attack or the population (attack.seeds for attack.phase.1.mix.0.seeds). A key
    without a row is named by its last part.
    """
    row = _row(key)
    if row is None:
        return Key(key, key.rpartition(".")[2].replace("_", " "))
    papers = "; ".join(f"{paper} ({choice})" for choice, paper in row.get("sources", {}).items())
    return Key(key, **{"source": papers, **row})


def start_of(key: str, numbers: Mapping[str, Any] | None = None) -> Any:
    """The value that a key starts with in a form; None if it has none.

    numbers : the draft's numbers by name, which the value may follow. For a table: a dict with the
        value of each of its keys.
    """
    words, known = key_words(key), numbers or {}
    if isinstance(words.start, Mapping):
        return {
            name: value if (new := start_of(f"{key}.{name}", known)) is None else new
            for name, value in words.start.items()
        }
    rule = words.follows
    if rule.get("of") not in known:
        return words.start
    value = known[rule["of"]]
    if "part" in rule:
        value *= rule["part"]
        value = round(value, rule["digits"]) if "digits" in rule else int(value)
    value = min(value, rule.get("most", value))
    return max(value, rule.get("least", value))


def has_words(key: str) -> bool:
    """True if the catalogue describes the key."""
    return _row(key) is not None


def _row(key: str) -> dict[str, Any] | None:
    table: dict[str, dict[str, Any]] = rows("keys")
    if key.startswith("sweep."):
        return table["sweep"]
    plain = re.sub(r"\.(\d+|\*)(?=\.|$)", "", key).replace("attack.phase.mix", "attack.mix")
    shared = re.sub(r"^attack\.(mix|phase)\.", "attack.", plain)
    return table.get(plain) or table.get(shared.replace("campaign.drift.", "population."))


def listed_keys() -> tuple[str, ...]:
    """The described keys, in the order in which a sweep offers them."""
    return tuple(rows("keys"))


def protocol_keys(known: Container[str] = ()) -> tuple[str, ...]:
    """The names of the keys of all protocols without plug-in code, except those in `known`."""
    names = (key.removeprefix("protocol.") for key in listed_keys() if key.startswith("protocol."))
    return tuple(name for name in names if name not in ("kind", *CODE) and name not in known)


def title_of(key: str) -> str:
    """The name and the symbol of a key: `privacy budget ε`."""
    return key_words(key).title


def key_label(key: str) -> str:
    """A key's name with its dotted key: `share of fake users β (attack.share)`."""
    title = title_of(key)
    return f"{title} ({key})" if title != key else key


def allowed_values(key: str) -> str:
    """The allowed values of a key in words: its type, range, note and default."""
    from ldptui.core.base.errors import format_value
    from ldptui.core.scenario import defaults_of, rule_of

    rule = "" if key.startswith("sweep.") else rule_of(key) or ""
    defaults = [f"{format_value(value)} by default" for value in defaults_of(key) if value != ""]
    return "; ".join(part for part in (rule, key_words(key).note, *defaults) if part)
