"""Disclosure: what a "de-identified" table, or a relation of users and attributes, gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from core.bounds import Range
from core.errors import ScenarioError, got
from core.lab.relation import Relation

from ...charts.series import Bar, Bars
from ...text import format as text
from .. import disclose
from ..output import joined
from . import Ask, Offers, Steps, answer_of, header_of

SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the groups of class sizes begin."""
SHOWN: Final = 16
FEW: Final = 200
"""Users whose smallest identifying sets are looked for."""
CELLS: Final = 400
"""Users times attributes, at most, where additions that restore privacy are tried."""


def work(ask: Ask) -> Steps:
    path = ask.file("file")
    known = header_of(path)
    yield Offers(dict.fromkeys(("quasi", "sensitive", "user", "attribute"), known))
    observed = ask.integer("observed", Range(1, 8))
    if ask.word("what") == "relation":
        return (yield from _relation(ask, path, known, observed))
    quasi, sensitive = ask.names("quasi"), ask.names("sensitive")
    if not quasi:
        raise ScenarioError(f"name columns that others may know: {joined(known[:8])}", key="quasi")
    for name in sensitive:
        if name in quasi:
            raise ScenarioError(f"must not be a quasi-identifier too, {got(name)}", key="sensitive")
    yield f"reading {path.name} and grouping its rows by {joined(quasi)}"
    values = disclose.table_values(path, quasi, sensitive, observed)
    report = disclose.report(ask.options(file=path.name, observed=observed), values)
    charts = [_classes(values)]
    if values["attributes"] is not None:
        charts.append(_identified(values["attributes"]["identifications"], values["rows"]))
    return answer_of(report, *charts, words=_verdict(values))


def _verdict(values: Mapping[str, Any]) -> tuple[str, ...]:
    k, rows = values["k"], text.count(values["rows"])
    who = joined(values["quasi"])
    if k == 1:
        alone = text.percent(values["unique_share"])
        first = f"Not anonymous: {who} single out {alone} of the {rows} rows (k = 1)."
    else:
        first = f"{k}-anonymous: who knows {who} of somebody finds at least {k} rows."
    words = [first]
    for name, one in values["sensitive"].items():
        away = one["homogeneous_share"]
        if away:
            words.append(
                f"{name} is given away for {text.percent(away)} of the rows: their class has one "
                "value alone."
            )
        else:
            words.append(f"Every class has at least {one['l_distinct']} values of {name}.")
    return tuple(words)


def _classes(values: Mapping[str, Any]) -> Bars:
    """The share of rows in classes of each size."""
    rows: Counter[int] = Counter()
    for size, number in values["class_sizes"]:
        start = max(one for one in SIZES if one <= size)
        rows[start] += size * number
    bars = []
    for at, start in enumerate(SIZES):
        end = SIZES[at + 1] - 1 if at + 1 < len(SIZES) else None
        label = "1, unique" if start == 1 else (
            f"{start} or more" if end is None else str(start) if end == start else f"{start}–{end}"
        )  # fmt: skip
        bars.append(Bar(label, rows[start] / values["rows"], target=start == 1))
    while len(bars) > 1 and not bars[-1].value:
        bars.pop()
    return Bars(
        "Rows by the size of their class",
        tuple(bars),
        note=f"a class agrees on {joined(values['quasi'])}",
        item="class of",
        value="share",
    )


def _identified(found: Sequence[Mapping[str, Any]], rows: int) -> Bars:
    """How many rows are alone with their values of each few columns."""
    ranked = sorted(found, key=lambda one: -one["rows"])
    bars = [Bar(", ".join(one["observed"]), one["rows"] / rows) for one in ranked]
    return Bars(
        "Rows that are singled out by what is observed",
        tuple(bars[:SHOWN]),
        rest=f"{len(bars) - SHOWN} more" if len(bars) > SHOWN else "",
        item="observed",
        value="share",
    )


# The relation.


def _relation(ask: Ask, path: Path, known: Sequence[str], observed: int) -> Steps:
    names = [ask.word("user"), ask.word("attribute")]
    for name, field in zip(names, ("user", "attribute"), strict=True):
        if name not in known:
            rule = f"must be one of {joined(known[:8])}" + (f", {got(name)}" if name else "")
            raise ScenarioError(rule, key=field)
    yield f"reading {path.name} and closing its sets of attributes"
    relation = disclose.relation_of(path, names)
    values = disclose.relation_values(relation, observed)
    report = disclose.relation_report(ask.options(file=path.name, observed=observed), values)
    yield "looking for what identifies users"
    holders = relation.dual.held
    shared = [
        Bar(name, users.bit_count() / len(relation.users), target=users.bit_count() == 1)
        for name, users in zip(relation.attributes, holders, strict=True)
    ]
    shared.sort(key=lambda bar: -bar.value)
    charts = [
        Bars(
            "Users who have each attribute",
            tuple(shared[:SHOWN]),
            rest=f"{len(shared) - SHOWN} more" if len(shared) > SHOWN else "",
            note="▸ held by one user alone" if any(bar.target for bar in shared) else "",
            item="has",
            value="share",
        )
    ]
    if len(relation.users) <= FEW:
        charts.append(_needed(relation))
    words = _relation_verdict(relation, values)
    rest = [note for note in report.notes if not any(note in told for told in words)]
    return answer_of(report._replace(notes=rest), *charts, words=words)


def _needed(relation: Relation) -> Bars:
    """How many attributes have to be seen to know who it is."""
    sizes: Counter[int] = Counter()
    for user in relation.users:
        found = relation.identifying(user)
        sizes[0 if found is None else len(found)] += 1
    users = len(relation.users)
    bars = [Bar(f"{size} seen", sizes[size] / users) for size in sorted(sizes) if size]
    bars.append(Bar("never", sizes[0] / users))
    return Bars(
        "Users who are identified by so many attributes",
        tuple(bars),
        item="after",
        value="share",
    )


def _relation_verdict(relation: Relation, values: Mapping[str, Any]) -> list[str]:
    if values["private"]:
        return ["Attribute privacy: no set of observed attributes implies another (φ∘ψ = Id)."]
    told = [
        f"whoever is seen with {joined(one['observed'])} also has {joined(one['implied'])}"
        for one in values["implications"]
    ]
    # Where nothing small implies anything, what everybody has is known with nothing observed.
    first = told[0] if told else f"everybody has {joined(values['always'])}"
    words = [f"No attribute privacy (φ∘ψ ≠ Id): {first}."]
    if len(relation.users) * len(relation.attributes) <= CELLS:
        repairs = relation.repairs()
        if repairs:
            (user, attribute), *more = repairs
            words.append(
                f"Giving {attribute} to user {user} as well restores it"
                + (f"; so would {len(more)} other single additions." if more else ".")
            )
    return words
