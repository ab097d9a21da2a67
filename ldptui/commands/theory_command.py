"""`ldptui theory`: the closed forms of a protocol at one setting, each with its source."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from ldptui.core.base.errors import ScenarioError, format_number
from ldptui.core.base.ranges import DOMAIN, EPSILON, SHARE, Range
from ldptui.core.law.mechanism import is_a
from ldptui.core.law.numbers import NumericProtocol
from ldptui.core.law.pure import SeedSearch
from ldptui.core.population import USERS
from ldptui.core.protocols import KINDS

from ..catalogue import in_order
from ..explain.formula import Formula
from ..explain.formula_inputs import Setting, bound, read_key
from ..explain.formula_list import entries, story_of, table_notes
from ..questions.options import flag_of
from ..terminal import exits
from ..terminal.output import note, write_out
from ..text import table
from ..text.prose import either


@dataclass(frozen=True)
class TheorySetting:
    """One setting of a protocol. keys : of its table, those that are given."""

    protocol: str
    keys: Mapping[str, Any]
    items: int | None = None
    users: int | None = None
    share: float | None = None
    targets: int | None = None
    target_frequency: float | None = None
    mean: float | None = None
    seeds: int = 1000
    scoring: Literal["anchor", "bucket"] = "anchor"

    @property
    def spec(self) -> type[Any]:
        """The class of the protocol's table."""
        return KINDS[self.protocol]

    def fill_example(self) -> TheorySetting:
        """The setting, or that of an example where nothing but the protocol is given."""
        if self != TheorySetting(self.protocol, {}):
            return self
        keys = {} if "f" in _keys(self.spec) else {"epsilon": 1.0}
        budget = "--epsilon 1 " * bool(keys)
        note(f"an example: {budget}--items 16 --users 10000")
        return replace(self, keys=keys, items=16, users=10_000)

    def check(self) -> TheorySetting:
        """The setting, with any domain for numbers, whose formulas hold for each.

        Raises ScenarioError for options that are out of range, or of another protocol.
        """
        kind, numeric = self.protocol, is_a(self.spec.mechanism, NumericProtocol)
        _check("--epsilon", self.keys.get("epsilon"), EPSILON)
        items = self.items
        if items is None:
            if not numeric:
                raise ScenarioError("is required", key="--items")
            items = int(DOMAIN.low)
        _check("--items", items, DOMAIN)
        _check("--users", self.users, USERS)
        _check("--share", self.share, SHARE)
        _check("--targets", self.targets, Range(1, items))
        _check("--target-frequency", self.target_frequency, Range(0, 1))
        _check("--mean", self.mean, Range(-1, 1))
        _check("--seeds", self.seeds, Range(1, 10**6))
        kinds = in_order("protocol", KINDS)
        for name in dict.fromkeys(name for known in kinds for name in _keys(KINDS[known])):
            if name in self.keys and name not in _keys(self.spec):
                _refuse(flag_of(name), kind, (k for k in kinds if name in _keys(KINDS[k])))
        if self.mean is not None and not numeric:
            _refuse("--mean", kind, (k for k in kinds if is_a(KINDS[k].mechanism, NumericProtocol)))
        if "epsilon" not in self.keys and "f" not in _keys(self.spec):
            raise ScenarioError("is required", key="--epsilon")
        return replace(self, items=items)

    def bind(self) -> Setting:
        """The protocol at this setting, and the other numbers; raises ScenarioError."""
        assert self.items is not None
        try:
            keys = {key: read_key(self.spec, key, value) for key, value in self.keys.items()}
            return bound(
                self.spec(kind=self.protocol, **keys), self.items, users=self.users,
                share=self.share, r=self.targets, held=self.target_frequency, mean=self.mean,
                search=SeedSearch(self.seeds, self.scoring),
            )  # fmt: skip
        except ScenarioError as error:
            raise ScenarioError(error.rule, key=flag_of(error.key)) from error


def print_theory(asked: TheorySetting, form: str) -> int:
    """Print the closed forms of a protocol."""
    setting = asked.fill_example().check().bind()
    rows = entries(setting)
    if form == "json":
        written = json.dumps(_document(rows), indent=2, allow_nan=False) + "\n"
        write_out(written, exactly=True)
        return exits.DONE
    shown = [(row.label, row.result, row.brief, row.source) for row in rows.values() if row.label]
    head = "\n".join(textwrap.wrap(_head(setting), 80))
    write_out(table.theory_table(head, shown, [*table_notes(setting, rows)]))
    return exits.DONE


def _check(option: str, value: float | None, allowed: Range) -> None:
    if value is not None and (not math.isfinite(value) or value not in allowed):
        raise ScenarioError(f"must be {allowed}, got {format_number(value)}", key=option)


def _refuse(option: str, kind: str, owners: Iterable[str]) -> None:
    raise ScenarioError(f"is an option of {either([*owners])}, not of {kind}", key=option)


def _keys(spec: type[Any]) -> tuple[str, ...]:
    """The keys of a protocol's table besides the kind."""
    return tuple(key.name for key in fields(spec) if key.name != "kind")


def _document(rows: Mapping[str, Formula]) -> dict[str, Any]:
    """The closed forms by field; gains, their deviations and bounds are tables of their own."""
    document: dict[str, Any] = {}
    for key, row in rows.items():
        value = row.value if math.isfinite(row.value) else None
        table_name, dot, name = key.partition(".")
        place = document.setdefault(table_name, {}) if dot else document
        place[name or key] = (row.said or None) if math.isnan(row.value) else value
    return document


def _head(setting: Setting) -> str:
    """At which numbers: `OLH, ε = 1, d = 1024, n = 1 000 000`; those not given are left out."""
    form = setting.given.get("form")
    name = setting.kind.upper() + (f" ({form})" if form is not None else "")
    numbers = {
        symbol: setting.given.get(key) for symbol, key in story_of(setting).symbols.items()
    } | {
        "d": setting.protocol.domain_size,
        "n": setting.users,
        "β": setting.share,
        "r": setting.r,
        "f_T": setting.held,
        "μ": setting.mean,
    }
    words = (
        f"{symbol} = {table.value_text(value)}"
        for symbol, value in numbers.items()
        if value is not None
    )
    return f"{name}, {', '.join(words)}"
