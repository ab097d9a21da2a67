"""The words of the in-app help: what a field, a kind or a metric means, its range, its formula.

The data is `help.toml` beside this module, read once and only when somebody asks.
"""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class FieldHelp:
    """Help for one key of a scenario, such as `protocol.epsilon`.

    `formula` is lines of at most 76 cells, the other texts are unwrapped prose. `symbol`, `formula`
    and `source` (the paper) are empty where there is none.
    """

    key: str
    label: str
    symbol: str
    meaning: str
    allowed: str
    formula: str
    source: str

    @property
    def title(self) -> str:
        """The label in words and symbol: `privacy budget ε`; `top k` has it already."""
        if self.label.endswith(f" {self.symbol}"):
            return self.label
        return f"{self.label} {self.symbol}".rstrip()


@dataclass(frozen=True)
class KindHelp:
    """Help for one kind of protocol, attack or population; `reason` is one line: why to pick it."""

    table: str
    kind: str
    name: str
    reason: str
    text: str
    formula: str
    source: str


@dataclass(frozen=True)
class MetricHelp:
    """Help for one metric of the results; `column` says in a few words what its column holds."""

    name: str
    label: str
    column: str
    symbol: str
    meaning: str
    formula: str
    source: str


def field_help(key: str) -> FieldHelp | None:
    """Help for a dotted key of a scenario; any key below `sweep.` has the help of `sweep`.

    A key of a part or of a phase has the help of its own, attack.mix.weight, or that of the
    attack's key of the same name, attack.seeds for attack.phase.1.mix.0.seeds.
    """
    plain = re.sub(r"\.(\d+|\*)(?=\.|$)", "", key)
    plain = plain.replace("attack.phase.mix", "attack.mix")
    shared = re.sub(r"^attack\.(mix|phase)\.", "attack.", plain)
    shared = shared.replace("campaign.drift.", "population.")
    rows = _data()["field"]
    row = rows.get("sweep" if key.startswith("sweep.") else plain) or rows.get(shared)
    if row is None:
        return None
    return FieldHelp(
        key=key,
        label=row["label"],
        symbol=row.get("symbol", ""),
        meaning=row["meaning"],
        allowed=row["allowed"],
        formula=row.get("formula", ""),
        source=row.get("source", ""),
    )


def title_of(key: str) -> str:
    """A key in words and symbol: `privacy budget ε`; one that has no help as it is."""
    found = field_help(key)
    return found.title if found is not None else key


def named(key: str) -> str:
    """A key as forms and scripts have it: `share of fake users β (attack.share)`."""
    title = title_of(key)
    return f"{title} ({key})" if title != key else key


def kind_help(table: str, kind: str) -> KindHelp | None:
    """Help for a kind of `protocol`, `attack` or `population`, such as ("protocol", "olh")."""
    row = _data()["kind"].get(table, {}).get(kind)
    if row is None:
        return None
    return KindHelp(
        table=table,
        kind=kind,
        name=row["name"],
        reason=row["reason"],
        text=row["text"],
        formula=row["formula"],
        source=row.get("source", ""),
    )


def metric_help(name: str) -> MetricHelp | None:
    """Help for a metric of the results, such as `normalised_gain`."""
    row = _data()["metric"].get(name)
    if row is None:
        return None
    return MetricHelp(
        name=name,
        label=row["label"],
        column=row["column"],
        symbol=row.get("symbol", ""),
        meaning=row["meaning"],
        formula=row["formula"],
        source=row.get("source", ""),
    )


def lab_field_help(name: str) -> FieldHelp | None:
    """Help for a field of the lab, such as `epsilon`."""
    row = _lab_data()["field"].get(name)
    if row is None:
        return None
    return FieldHelp(
        key=name,
        label=row["label"],
        symbol=row.get("symbol", ""),
        meaning=row["meaning"],
        allowed=row["allowed"],
        formula=row.get("formula", ""),
        source=row.get("source", ""),
    )


def notions(tab: str) -> tuple[KindHelp, ...]:
    """The notions behind a tab of the lab, in plain words; each with its formula and source."""
    return tuple(
        KindHelp(
            table=tab,
            kind=kind,
            name=row["name"],
            reason=row["reason"],
            text=row["text"],
            formula=row["formula"],
            source=row["source"],
        )
        for kind, row in _lab_data()["notion"].get(tab, {}).items()
    )


@functools.cache
def _lab_data() -> dict[str, Any]:
    """The tables `field` and `notion` of the lab's help.toml."""
    text = resources.files("ldptui.lab").joinpath("help.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@functools.cache
def _data() -> dict[str, Any]:
    """The tables `field`, `kind` and `metric` of help.toml."""
    text = resources.files(__package__).joinpath("help.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
