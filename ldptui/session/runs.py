"""The runs of a session and of the store, and what differs between them, in words."""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from ldptui.core.base.code import kind_of_table

from .. import __version__
from ..catalogue import key_words, metric_words
from ..text import format as fmt
from ..text.format import chosen_value, count
from ..text.interval import mean_words
from .draft.attack_script import described_mix, parts_of, phases_of, shape_of
from .snapshot import Request, Snapshot

if TYPE_CHECKING:
    from ldptui.core.base.summary import Estimate
    from ldptui.core.store import RunRecord as Stored


class Run(Struct, frozen=True):
    """One run: its scenario's document, its results and its start.

    key : the key of its request in this session; for a run that is only in the store, its negative
        number there.
    snapshot : without results until they are read from the store.
    kept : the store's record of the run; None if it is not stored.
    """

    key: int
    document: Mapping[str, Any]
    snapshot: Snapshot
    started: float
    title: str
    kept: Stored | None = None

    @property
    def number(self) -> int | None:
        """The run's number in the store; None if it is not stored."""
        return self.kept.id if self.kept is not None else self.snapshot.kept

    @property
    def name(self) -> str:
        """The name of the run in legends."""
        if self.number is not None:
            return f"run {self.number}"
        return f"run #{self.key}" if self.snapshot.full else "the preview"

    @property
    def status(self) -> str:
        """The status of the run in this session, else its status in the store."""
        return self.kept.status if self.kept and self.key < 0 else self.snapshot.status

    @property
    def tags(self) -> tuple[str, ...]:
        return self.kept.tags if self.kept is not None else ()


def matching(runs: Iterable[Run], words: str) -> list[Run]:
    """The runs that contain every word in title, description, sweep, tags, status or number.

    A word with a sign is about settings: `share>=0.01`, `kind~olh`, `protocol.epsilon=1`.
    """
    wanted, tests = list[str](), list[re.Match[str]]()
    for word in words.casefold().split():
        if (test := _TEST.fullmatch(word)) is not None:
            tests.append(test)
        else:
            wanted.append(word)
    matches = []
    for run in runs:
        if not all(_has_setting(run.document, *test.groups()) for test in tests):
            continue
        star = "star" if run.kept is not None and run.kept.star else ""
        swept = str(run.document.get("sweep", ""))
        parts = (run.title, describe_scenario(run.document), run.name, run.status, star, swept)
        text = " ".join((*parts, *(f"#{tag}" for tag in run.tags))).casefold()
        if all(word in text for word in wanted):
            matches.append(run)
    return matches


_TEST: Final = re.compile(r"([^<>=~!]+)(>=|<=|!=|=|<|>|~)([^<>=~!]+)")
"""A word of a filter about settings: the end of a key or its symbol, a sign, a value."""
_SIGNS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip


def _has_setting(document: Mapping[str, Any], name: str, sign: str, value: str) -> bool:
    """True if a key of this name has such a value, in at least one cell of a sweep."""
    for key, setting in flat(document).items():
        key = key.removeprefix("sweep.")
        if name not in (key, key.rpartition(".")[2], key_words(key).short.casefold()):
            continue
        if isinstance(setting, Mapping):  # of a sweep by its ends
            setting = [setting.get("from"), setting.get("to")]
        for each in setting if isinstance(setting, list | tuple) else [setting]:
            if sign == "~":
                if value in str(each).casefold():
                    return True
            elif isinstance(each, int | float):
                with contextlib.suppress(ValueError):
                    if _SIGNS[sign](float(each), float(value)):
                        return True
            elif sign in ("=", "!=") and _SIGNS[sign](str(each).casefold(), value):
                return True
    return False


def flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a document by dotted key; swept keys as `sweep.KEY`, parts of lists
    by number.
    """
    from ldptui.core.scenario import flatten, sweep_of

    values = dict(flatten({name: document[name] for name in document if name != "sweep"}))
    return {**values, **{f"sweep.{key}": spec for key, spec in sweep_of(document).items()}}


def describe_scenario(document: Mapping[str, Any]) -> str:
    """A scenario in a few words: "OUE ε=1, MGA r=5, zipf d=128 n=100000, over β".

    The trust model is named after the attack, unless reports are local.
    """
    values = flat(document)
    swept = [key.removeprefix("sweep.") for key in values if key.startswith("sweep.")]
    values = {key: value for key, value in values.items() if key not in swept}
    attack = document.get("attack")
    listed = isinstance(attack, Mapping) and shape_of(attack) != "one"
    parts = []
    trusting = values.get("trust.kind", "local") != "local"
    for table in ("protocol", "attack", *["trust"] * trusting, "population"):
        if f"{table}.kind" in swept:
            parts.append(f"{len(values[f'sweep.{table}.kind'])} {table}s")
            swept.remove(f"{table}.kind")
            continue
        kind = values.get(f"{table}.kind", "none" if table == "attack" else "?")
        if table == "attack" and listed and isinstance(attack, Mapping):
            phases = phases_of(attack)
            many = f"{len(phases)} phase{'s' * (len(phases) != 1)}"
            kind = many if phases else described_mix(parts_of(attack))
        plain = table in ("trust", "population") or (table == "attack" and listed)
        own = kind_of_table(values, table)
        words = [str(kind) if plain else str(kind).upper()] if own in ("", kind) else [own]
        for key, value in values.items():
            if key.startswith(f"{table}.") and len(symbol := _brief(key)) == 1:
                words.append(f"{symbol}={value_words(value)}")
        parts.append(" ".join(words) if kind != "none" else "no attack")
    over = " ".join(map(_brief, swept))
    return ", ".join([*parts, *[f"over {over}"] * bool(over)])


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The changes from one scenario to another in words: "ε 1 → 2", "mga → ria"."""
    old, new = flat(before), flat(after)
    words = []
    for key in dict.fromkeys([*old, *new]):
        if key.partition(".")[0] not in _WORDS and old.get(key) != new.get(key):
            change = f"{value_words(old.get(key))} → {value_words(new.get(key))}"
            words.append(change if key in _KINDS else f"{_brief(key)} {change}")
    return words


def difference_labels(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """A label for each run with the settings in which the runs differ: `OUE ε 2`.

    runs : pairs of a name and a scenario's document.
    """
    values = [flat(document) for _, document in runs]
    named = [key for key in dict.fromkeys(key for each in values for key in each)
             if key.partition(".")[0] not in UNNAMED]  # fmt: skip
    differing = [key for key in named if len({repr(each.get(key)) for each in values}) > 1]
    kinds_first = sorted(differing, key=lambda key: key not in _KINDS)[:MOST_KEYS]
    labels = [
        " ".join(_label_word(key, each[key]) for key in kinds_first if key in each)
        for each in values
    ]
    return [
        label if label and labels.count(label) == 1 else " ".join(filter(None, (label, name)))
        for label, (name, _) in zip(labels, runs, strict=True)
    ]


def _label_word(key: str, value: Any) -> str:
    """A setting in a legend: `OUE`, `ε 2`."""
    if key in _KINDS:
        return str(value).upper() if key in _KINDS[:2] else str(value)
    return f"{_brief(key)} {value_words(value)}"


def may_change(document: Mapping[str, Any]) -> bool:
    """True if a scenario may give other results next time, because its file or code may change."""
    population = document.get("population", {})
    code = Request(0, document, "").python_code
    return bool(code) or (isinstance(population, Mapping) and "path" in population)


def drawn_here(run: Run) -> bool:
    """True if a run was drawn by the same versions of ldptui and NumPy as this program's."""
    if run.kept is None:
        return True
    import numpy as np

    here = {"ldptui": __version__, "numpy": np.__version__}
    return all(run.kept.versions[name] == version for name, version in here.items())


def alike(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """True if two documents are the same scenario, apart from titles and descriptions."""
    return before == after or not differences(before, after)


_WORDS: Final = ("title", "about", "labels")
"""Keys that change no number."""

UNNAMED: Final = (*_WORDS, "format", "sweep", "trials", "seed", "simulate")
"""Tables that no legend names: what differs there is the number of points, or chance."""
MOST_KEYS: Final = 3
"""Settings that a label of a legend has at most."""

_KINDS: Final = ("protocol.kind", "attack.kind", "population.kind", "trust.kind")
"""Keys whose values say what they are."""


def _brief(key: str) -> str:
    """The shortest name of a key; a key of a phase or a part in full, with its place."""
    if key.startswith("sweep."):
        return f"sweep of {_brief(key.removeprefix('sweep.'))}"
    return place_of(key) if re.search(r"\.\d+\.", key) else key_words(key).short


def place_of(key: str) -> str:
    """A key in words, with its phase and part: "weight w of part 2"."""
    name = key_words(key).noun
    place = re.match(r"attack\.(?:phase\.(\d+)\.)?(?:mix\.(\d+)\.)?", key)
    phase, part = place.groups() if place else (None, None)
    if part is not None:
        name += f" of part {int(part) + 1}"
    if phase is not None:
        name += f" of phase {int(phase) + 1}" if part is None else f" in phase {int(phase) + 1}"
    return name


def difference_text(a: Run, b: Run) -> str:
    """The differences of two runs in words: their settings, then their results."""
    lines = [f"{run.name[:1].upper()}{run.name[1:]}: {run.title}" for run in (a, b)]
    news = differences(a.document, b.document) or ["nothing: it is the same scenario"]
    lines += ["", f"What changed since {a.name}:", *(f"  {each}" for each in news)]
    old, new = a.snapshot.base_cell, b.snapshot.base_cell
    if old is not None and new is not None:  # both were read, and have trials
        rows = list(measured_changes(old.metrics, new.metrics))
        same = len(old.metrics) - len(rows)
        lines += ["", *_table([("measured", a.name, b.name, "change"), *rows])]
        lines += ["1 other is the same" if same == 1 else f"{same} others are the same"] * bool(
            same
        )
        lines += [mean_words([old.trials, new.trials]), "of the cell that Frequencies shows"]
    return "\n".join(lines)


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *others = rows
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, ["─" * width for width in widths], *others)
    ]


def measured_changes(
    old: Mapping[str, Estimate], new: Mapping[str, Estimate]
) -> Iterator[tuple[str, ...]]:
    """Yields the metrics in which two results differ: name, both values, change."""
    for name in old:
        ends = [measured.get(name) for measured in (old, new)]
        texts = [
            fmt.MISSING if each is None else fmt.estimate(each.mean, each.standard_error)
            for each in ends
        ]
        if texts[0] != texts[1]:
            means = [each.mean for each in ends if each is not None and each.mean is not None]
            change = fmt.short(means[1] - means[0], 3, sign=True) if len(means) == 2 else ""
            yield metric_words(name).name, *texts, change


def value_words(value: Any) -> str:
    """A TOML value as short text."""
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        scale = " log" if value.get("scale") == "log" else ""
        return f"{value_words(value.get('from'))}…{value_words(value.get('to'))}{scale}"
    if isinstance(value, list | tuple):
        return (
            "["
            + " ".join(value_words(item) for item in value[:6])
            + (" …]" if len(value) > 6 else "]")
        )
    if isinstance(value, float):
        return chosen_value(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return str(value)
