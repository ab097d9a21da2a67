"""Writes the tables of keys, kinds and metrics into the pages: `python docs/tables.py`.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. It is made from the dataclasses in
`core` and the rows of the catalogue; the rest of a page is left as it is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from references import equation_lines, paper_rows, plain_cell

import ldptui
from ldptui import core, scenarios
from ldptui.catalogue import (
    in_order,
    key_words,
    kind_words,
    listed_keys,
    metric_words,
    start_of,
    tab_words,
)
from ldptui.charts.kinds import KINDS as CHARTS
from ldptui.commands.command_help import command_lines
from ldptui.commands.result_formats import FORMATS
from ldptui.commands.scenario_library import schema_text
from ldptui.core.attacks import ATTACKS
from ldptui.core.base.errors import ScenarioError, format_value
from ldptui.core.metrics import METRICS, FrequencyConclusion
from ldptui.core.metrics.conclusion import Conclusion
from ldptui.core.metrics.conclusions.hitters import HitterConclusion
from ldptui.core.metrics.conclusions.number_conclusions import (
    DistributionConclusion,
    MeanConclusion,
)
from ldptui.core.protocols import KINDS as PROTOCOL_KINDS
from ldptui.core.scenario import (
    KEY_TYPES,
    KINDS,
    default_of,
    is_required,
    kinds_at,
    names_of,
    rule_of,
)
from ldptui.explain.attack_formulas import SUPPORTED
from ldptui.explain.formula_list import cell_formulas
from ldptui.questions.topics import TOPICS

FOLDER: Final = Path(__file__).parent
SCHEMA: Final = FOLDER.parent / "scenarios" / scenarios.SCHEMA
_BLOCK: Final = re.compile(r"(<!-- table: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Write the pages of this folder, and the schema of the scenarios, that are out of date."""
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (made := filled(text)) != text:
            path.write_text(made, encoding="utf-8")
            print(f"{path.name} is written anew")
    if SCHEMA.read_text(encoding="utf-8") != schema_text():
        SCHEMA.write_text(schema_text(), encoding="utf-8")
        print(f"{SCHEMA.name} is written anew")


def filled(page: str) -> str:
    """A page with all its tables made anew."""
    return _BLOCK.sub(lambda block: f"{block[1]}\n{_made(block[2])}\n{block[3]}", page)


def _made(name: str) -> str:
    """The text between the marks of a name: a table, or the equations of a part."""
    what, _, part = name.partition(" of ")
    if what == "library":
        return "\n".join(f"::: {place}\n" for place in library())
    return "\n".join(equation_lines(part)) if what == "equations" else table(name)


def library() -> Iterator[str]:
    """The places of the public functions and classes, those of the closed forms last."""
    closed = [getattr(ldptui.theory, name) for name in dir(ldptui.theory)]
    for thing in (*(getattr(ldptui, name) for name in sorted(ldptui.__all__)), *closed):
        bare = inspect.unwrap(thing) if callable(thing) else None
        if inspect.isfunction(bare) or inspect.isclass(bare):
            yield f"{bare.__module__}.{bare.__name__}"


def table(name: str) -> str:
    """One table: `keys of population`, `kinds of attack`, `texts of attack`, `metrics`, `names`,
    `supports`, `reports of protocol`."""
    what, _, where = name.partition(" of ")
    known, rows = TABLES[what]
    heads, *below = [*([known] if known else []), *rows(where)]
    lines = [f"| {' | '.join(map(plain_cell, row))} |\n" for row in below]
    return f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n" + "".join(lines)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _first(words: str, least: int = 0) -> str:
    """The first sentence, or the first two if it is shorter; the program has the others."""
    sentences = re.split(r"(?<=[.]) (?=[A-Z])", words)
    return " ".join(sentences[: 1 if len(sentences[0]) >= least else 2])


def _keys(section: str) -> Iterator[list[str]]:
    """The keys of a table of a scenario, of "the file" those that stand in none."""
    for key, known in _listed().items():
        if (key.partition(".")[0] if "." in key else "the file") == section:
            words = key_words(key)
            values = "; ".join(part for part in (_rule(known), words.note) if part)
            name = known.replace(".*", "[]").removeprefix(f"{section}.")
            default = "required" if known.endswith("kind") else _default(known)
            yield [f"`{name}`{_owners(known)}", values, default, _first(words.meaning)]


def _listed() -> dict[str, str]:
    """The rows of the catalogue with a key of scenarios that each describes, tables included.

    Keys of parts and of phases that have the words of the attack stand there once.
    """
    known = list(KEY_TYPES)
    rows = dict.fromkeys(listed_keys(), "")
    for key in reversed([*_tables(known), *known]):
        plain = key.replace(".*", "").replace("attack.phase.mix", "attack.mix")
        if plain in rows:
            rows[plain] = key

    def place(key: str) -> tuple[bool, int, str]:
        """The kind comes first; a table stands where its first key does, and before it."""
        first = next(number for number, k in enumerate(known) if f"{k}.".startswith(f"{key}."))
        return not key.endswith(".kind"), first, key

    listed = {row: key for row, key in rows.items() if key}
    return dict(sorted(listed.items(), key=lambda item: place(item[1])))


def _tables(known: Iterable[str]) -> Iterator[str]:
    """The tables inside the tables of a scenario: `attack.targets`, `attack.mix`."""
    for key in known:
        names = key.split(".")
        for end in range(2, len(names)):
            if names[end - 1] != "*":
                yield ".".join(names[:end])


def _rule(key: str) -> str:
    """The allowed values of a key; kinds have a table of their own."""
    if key.endswith("kind") and kinds_at(_numbered(key).rpartition(".")[0]):
        return "a kind"
    rule = re.sub(r"\ban? (?=integer|number|finite|list|table)", "", rule_of(key) or "")
    return re.sub(r'"[^"]*"', lambda word: f"`{word[0]}`", rule)


def _owners(key: str) -> str:
    """The kinds that know a key, in brackets; empty where all do, or none is asked."""
    kinds, knowing = _kinds_knowing(key)
    if len(knowing) in (0, len(kinds)):
        return ""
    return f" ({_some(knowing, kinds)})"


def _default(key: str) -> str:
    """The value of a key that is left out; "required" where it must not be."""
    numbered = _numbered(key)
    knowing = _kinds_knowing(key)[1] or [""]
    requiring = [kind for kind in knowing if is_required(numbered, kind)]
    texts = ["required" if requiring == knowing else f"required ({_some(requiring, knowing)})"]
    values = [_shown(default_of(numbered, kind)) for kind in knowing if kind not in requiring]
    return ", ".join([*texts[: len(requiring)], *dict.fromkeys(text for text in values if text)])


def _kinds_knowing(key: str) -> tuple[list[str], list[str]]:
    """The kinds of the table that a key is in, and those of them that know it."""
    table, _, leaf = _numbered(key).rpartition(".")
    kinds = list(kinds_at(table))
    return kinds, [kind for kind in kinds if leaf in (*names_of(table, kind), "kind")]


def _some(some: list[str], kinds: list[str]) -> str:
    """Some of the kinds, or those left out where they are few."""
    rest = [kind for kind in kinds if kind not in some]
    return _code(some) if len(some) <= len(rest) + 2 else f"all but {_code(rest)}"


def _numbered(key: str) -> str:
    return key.replace("*", "0")


def _shown(value: object) -> str:
    if value is None or value == "":
        return ""
    return f"`{format_value(value)}`" if isinstance(value, str) else format_value(value)


def _kinds(section: str) -> Iterator[list[str]]:
    """The kinds of a table."""
    for kind in in_order(section, KINDS[section]):
        yield [_named(section, kind), kind_words(section, kind).reason]


def _texts(section: str) -> Iterator[list[str]]:
    """What the kinds of a table do, in a sentence each; the program has the others."""
    for kind in in_order(section, KINDS[section]):
        yield [_named(section, kind), _first(kind_words(section, kind).text, 60)]


def _named(section: str, kind: str) -> str:
    """A kind and its name, where that is another word."""
    name = kind_words(section, kind).name
    return f"`{kind}`" if name.lower() == kind else f"`{kind}`: {name}"


def _metrics(_: str) -> Iterator[list[str]]:
    """The metrics in the order of their columns, those of one name in a row."""
    rows: dict[str, list[str]] = {}
    for name, metric in METRICS.items():
        stem = name.removesuffix("_after").removesuffix("_clean")
        if stem in rows:
            rows[stem][0] += f", `{name}`"
            continue
        needs = ["attack"] if metric.targets else []
        if any(arm.defended for arm in metric.arms):
            needs.append("defence")
        if metric.test:
            needs.append("RAPPOR")
        needs.append(next(task for concluded, task in _TOLD.items() if metric.told_by(concluded)))
        words = _first(metric_words(name).meaning)
        rows[stem] = [f"`{name}`", words, ", ".join(filter(None, needs))]
    yield from rows.values()


_TOLD: Final[dict[type[Conclusion], str]] = {
    FrequencyConclusion: "",
    HitterConclusion: "heavy hitters",
    MeanConclusion: "numbers",
    DistributionConclusion: "distribution",
}
"""What a metric needs of the task: the first of these that tells it."""


def _tabs(_: str) -> Iterator[list[str]]:
    """The tabs of the charts; the program says how to read each."""
    for kind in CHARTS.values():
        if kind.title:
            yield [kind.title, tab_words(kind.name).shows]


def _formats(_: str) -> Iterator[list[str]]:
    """The formats of results."""
    for row in FORMATS.values():
        yield [f"`{row.name}`", row.end and f"`{row.end}`", row.words]


def _topics(_: str) -> Iterator[list[str]]:
    """The topics of the privacy lab in the order of their tabs, in the words of their help."""
    for name, topic in TOPICS.items():
        yield [f"{topic.title}, `ldptui {name}`", topic.question]


def _commands(group: str) -> Iterator[list[str]]:
    """The commands of a group of `ldptui --help`."""
    for _, own, usage, summary in command_lines():
        if own == group:
            yield [f"`ldptui {usage}`", summary]


_REFUSED: Final = "refused"


@cache
def _support_words(protocol: str, attack: str) -> str:
    """S in the words of a protocol; "refused" where the attack is, empty where it has none."""
    document: dict[str, object] = {
        "format": 1,
        "population": {"kind": "uniform", "items": 64, "users": 1000},
    }
    for table, kind in (("protocol", protocol), ("attack", attack)):
        needed = {
            name: start_of(f"{table}.{name}", {"items": 64, "targets": 10})
            for name in names_of(table, kind)
            if is_required(f"{table}.{name}", kind)
        }
        document[table] = {"kind": kind, **needed}
    try:
        (cell,) = core.compile(core.Scenario(document)).cells
    except ScenarioError:
        return _REFUSED
    words = next((row.formula for row in cell_formulas(cell) if row.title == SUPPORTED), "")
    return words.removeprefix("S = ").partition(":")[0]


def _supports(_: str) -> Iterator[list[str]]:
    """S by protocol and attack: kinds that have the same words share a row or a column."""
    elsewhere = ("hidden", "solved")  # a sentence of the page says what they have in common
    attacks = [kind for kind, spec in ATTACKS.items() if _law(spec) != "unknown"]
    attacks = [kind for kind in attacks if kind not in elsewhere]
    table = {kind: [_support_words(kind, attack) for attack in attacks]
             for kind in in_order("protocol", PROTOCOL_KINDS)}  # fmt: skip
    table = {kind: row for kind, row in table.items() if {*row} - {"", _REFUSED}}
    taken = dict(zip(attacks, zip(*table.values(), strict=True), strict=True))
    columns = _alike({kind: words for kind, words in taken.items() if {*words} - {_REFUSED}})
    yield ["protocol", *(_names_of("attack", kinds) for kinds in columns)]
    rows = {
        kind: [row[attacks.index(kinds[0])] for kinds in columns] for kind, row in table.items()
    }
    for kinds in _alike(rows):
        yield [_names_of("protocol", kinds), *rows[kinds[0]]]


def _law(spec: type) -> str:
    return getattr(spec, "report_law", "unknown")


def _alike(lines: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The kinds, those with equal lines together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for kind, line in lines.items():
        groups.setdefault(tuple(line), []).append(kind)
    return [*groups.values()]


def _names_of(section: str, kinds: Iterable[str]) -> str:
    return ", ".join(kind_words(section, kind).name.partition(" (")[0] for kind in kinds)


TABLES: Final[dict[str, tuple[list[str], Callable[[str], Iterator[list[str]]]]]] = {
    "keys": (["key", "value", "default", "what it is"], _keys),
    "kinds": (["kind", "why to pick it"], _kinds),
    "texts": (["kind", "what it does"], _texts),
    "supports": ([], _supports),
    "metrics": (["metric", "what it is", "needs"], _metrics),
    "commands": (["command", "what it does"], _commands),
    "tabs": (["tab", "what it shows"], _tabs),
    "topics": (["tab and command", "the question"], _topics),
    "papers": (["letters", "what is from it", "source"], paper_rows),
    "formats": (["format", "file", "what it has"], _formats),
}
"""By the word before " of ": the heads of the columns (none: the first row), and the rows."""

if __name__ == "__main__":
    main()
