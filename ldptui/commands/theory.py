"""`ldptui theory`: the closed forms of a protocol at one setting, each with its source."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError, spelled
from ldptui.core.base.ranges import DOMAIN, EPSILON, SHARE, Range
from ldptui.core.law.numbers import tells_numbers
from ldptui.core.law.pure import SeedSearch
from ldptui.core.population import USERS
from ldptui.core.protocols import KINDS

from ..catalogue import in_order
from ..explain.attack import gain_keys
from ..explain.formula import Formula
from ..explain.formulas import entries
from ..explain.lines import bound_keys
from ..explain.setting import Setting, bound, read_key
from ..explain.story import Story, story_named
from ..explain.table import UNTOLD
from ..questions.options import flag_of
from ..terminal import exits
from ..terminal.output import note, write_out
from ..text import table
from ..text.prose import either
from .protocols import Theory

COMMON: Final = (
    "p", "q", "hash_range", "variance_per_user", "gain_factor", "report_bits", "frequency_std"
)  # fmt: skip
"""The fields of JSON that every protocol has, null where it has none of them."""


def theory(options: Theory) -> int:
    """Print the closed forms of a protocol."""
    options = _checked(_example(options))
    setting = _setting(options)
    story = story_named(setting.family) or UNTOLD
    rows = entries(setting)
    if options.format == "json":
        written = json.dumps(_document(story, rows), indent=2, allow_nan=False) + "\n"
        write_out(written, exactly=True)
    else:
        write_out(_table(story, setting, rows))
    return exits.DONE


def _example(options: Theory) -> Theory:
    """The options, of an example where nothing but the protocol is given."""
    bare = Theory(protocol=options.protocol, format=options.format)
    if options != bare:
        return options
    example = replace(options, items=16, users=10_000)
    if "f" not in _keys(KINDS[options.protocol]):
        example = replace(example, epsilon=1.0)
    budget = "" if example.epsilon is None else "--epsilon 1 "
    note(f"an example: {budget}--items 16 --users 10000")
    return example


def _checked(options: Theory) -> Theory:
    """The options, and any domain for numbers, whose formulas hold for each.

    Raises ScenarioError for options that are out of range, or of another protocol.
    """
    _check("--epsilon", options.epsilon, EPSILON)
    kind = options.protocol
    if options.items is None:
        if not tells_numbers(KINDS[kind].mechanism):
            raise ScenarioError("is required", key="--items")
        options = replace(options, items=int(DOMAIN.low))
    assert options.items is not None
    _check("--items", options.items, DOMAIN)
    _check("--users", options.users, USERS)
    _check("--share", options.share, SHARE)
    _check("--targets", options.targets, Range(1, options.items))
    _check("--target-frequency", options.target_frequency, Range(0, 1))
    _check("--mean", options.mean, Range(-1, 1))
    _check("--seeds", options.seeds, Range(1, 10**6))
    kinds = in_order("protocol", KINDS)
    for name in dict.fromkeys(name for known in kinds for name in _keys(KINDS[known])):
        if options.key(name) is not None and name not in _keys(KINDS[kind]):
            owners = [other for other in kinds if name in _keys(KINDS[other])]
            rule = f"is an option of {either(owners)}, not of {kind}"
            raise ScenarioError(rule, key=flag_of(name))
    if options.mean is not None and not tells_numbers(KINDS[kind].mechanism):
        owners = [known for known in kinds if tells_numbers(KINDS[known].mechanism)]
        raise ScenarioError(f"is an option of {either(owners)}, not of {kind}", key="--mean")
    if options.epsilon is None and "f" not in _keys(KINDS[kind]):
        raise ScenarioError("is required", key="--epsilon")
    return options


def _check(option: str, value: float | None, allowed: Range) -> None:
    if value is not None and (not math.isfinite(value) or value not in allowed):
        raise ScenarioError(f"must be {allowed}, got {spelled(value)}", key=option)


def _keys(spec: type[Any]) -> tuple[str, ...]:
    """The keys of a protocol's table besides the kind."""
    return tuple(key.name for key in fields(spec) if key.name != "kind")


def _setting(options: Theory) -> Setting:
    """The protocol that the options describe, and the other numbers; raises ScenarioError."""
    kind, spec = options.protocol, KINDS[options.protocol]
    keys = {name: options.key(name) for name in _keys(spec)}
    given = {key: value for key, value in keys.items() if value is not None}
    search = SeedSearch(options.seeds, options.scoring)
    assert options.items is not None
    try:
        parameters = {key: read_key(spec, key, value) for key, value in given.items()}
        return bound(
            spec(kind=kind, **parameters), options.items, users=options.users, share=options.share,
            r=options.targets, held=options.target_frequency, mean=options.mean, search=search,
        )  # fmt: skip
    except ScenarioError as error:
        raise ScenarioError(error.rule, key=flag_of(error.key)) from error


def _document(story: Story, rows: Mapping[str, Formula]) -> dict[str, Any]:
    """The closed forms by field; None where there is none, or an option that it needs is missing.

    The gains and their deviations are tables by attack, and the bounds of a gain by their names.
    """
    document: dict[str, Any] = {key: _value(rows, key) for key in COMMON}
    tables: dict[str, dict[str, Any]] = {}
    for key in (*gain_keys(), *bound_keys()):
        table_name, _, kind = key.partition(".")
        tables.setdefault(table_name, {})[kind] = _value(rows, key)
    bounds = tables.pop("bound")
    own = {key: _value(rows, key) for key in ("recommended", *story.fields)}
    return document | tables | own | {"bound": bounds}


def _value(rows: Mapping[str, Formula], key: str) -> float | str | None:
    row = rows.get(key)
    if row is None or row.entry is None:
        return None
    return row.entry.field or (row.value if math.isfinite(row.value) else None)


def _table(story: Story, setting: Setting, rows: Mapping[str, Formula]) -> str:
    """The closed forms as a table of quantities, values, formulas and sources."""
    shown = []
    for key in story.table:
        row = rows.get(key)
        if row is not None and row.entry is not None:
            shown.append((row.entry.name, row.result, row.brief, row.entry.source))
    notes = [] if story.notes is None else list(story.notes(setting, rows))
    head = textwrap.wrap(_head(story, setting), 80)
    return table.theory_table("\n".join(head), shown, notes)


def _head(story: Story, setting: Setting) -> str:
    """At which numbers: `OLH, ε = 1, d = 1024, n = 1 000 000`; those not given are left out."""
    form = setting.given.get("form")
    name = setting.kind.upper() + (f" ({form})" if form is not None else "")
    numbers = {symbol: setting.given.get(key) for symbol, key in story.symbols.items()} | {
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
