"""`ldptui theory`: the closed forms of a protocol at one setting, each with its source."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import DOMAIN
from ldptui.core.law.mechanism import is_a
from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.law.pure import SeedSearch
from ldptui.core.protocols import KINDS, NAMED

from ..catalogue import in_order
from ..explain.formula import Formula
from ..explain.formula_inputs import FormulaSetting, bound, read_key
from ..explain.formula_list import entries, explanation_of, table_notes
from ..questions.options import flag_of
from ..terminal import exits
from ..terminal.output import note, write_out
from ..text import table
from ..text.prose import either


def bind_setting(
    kind: str, keys: Mapping[str, Any], items: int | None, search: SeedSearch, **numbers: Any
) -> FormulaSetting:
    """The protocol and numbers of the formulas: the given options, else those of an example.

    numbers : users, share, r, held and mean of `FormulaSetting`. Formulas of protocols of numbers
        hold for any domain.
    Raises ScenarioError for options out of range, or of another protocol.
    """
    spec, kinds, example = NAMED[kind], in_order("protocol", KINDS), list[str]()
    numeric, is_alone = is_a(spec.mechanism, NumericProtocol), not keys and items is None
    if not {"epsilon", "f"} & {*_keys(spec)}:
        rule = "must have a budget: without noise an estimate is the truth"
        raise ScenarioError(f"{rule}, {got(kind)}", key="PROTOCOL")
    if "epsilon" not in keys and "f" not in _keys(spec):
        keys, example = {**keys, "epsilon": 1.0}, ["--epsilon 1"]
    if items is None:
        items = int(DOMAIN.low) if numeric else 16
        example += [] if numeric else ["--items 16"]
    if is_alone and not any(numbers.values()):
        numbers, example = {"users": 10_000}, [*example, "--users 10000"]
    if (numbers.get("r") or 0) > items:
        raise ScenarioError(f"must be in [1, {items}], {got(numbers['r'])}", key="--targets")
    for name in keys:
        if name not in _keys(spec):
            _refuse(flag_of(name), kind, (k for k in kinds if name in _keys(KINDS[k])))
    if numbers.get("mean") is not None and not numeric:
        _refuse("--mean", kind, (k for k in kinds if is_a(KINDS[k].mechanism, NumericProtocol)))
    try:
        values = {key: read_key(spec, key, value) for key, value in keys.items()}
        made = bound(spec(kind=kind, **values), items, search=search, **numbers)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key=flag_of(error.key)) from error
    if example:
        note(f"an example: {' '.join(example)}")
    return made


def print_theory(setting: FormulaSetting, form: str) -> int:
    """Print the closed forms of a protocol; returns the exit code."""
    rows = entries(setting)
    if form == "json":
        written = json.dumps(_document(rows), indent=2, allow_nan=False) + "\n"
        write_out(written, exactly=True)
        return exits.DONE
    shown = [(row.label, row.result, row.brief, row.source) for row in rows.values() if row.label]
    head = "\n".join(textwrap.wrap(_head(setting), 80))
    write_out(table.theory_table(head, shown, [*table_notes(setting, rows)]))
    return exits.DONE


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


def _head(setting: FormulaSetting) -> str:
    """At which numbers: `OLH, ε = 1, d = 1024, n = 1 000 000`; those not given are left out."""
    form = setting.given.get("form")
    name = setting.kind.upper() + (f" ({form})" if form is not None else "")
    numbers = {
        symbol: setting.given.get(key) for symbol, key in explanation_of(setting).symbols.items()
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
