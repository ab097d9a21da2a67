"""The words about kinds, metrics and tabs, in `kinds.toml`, `metrics.toml` and `tabs.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from .toml_rows import rows


class KindWords(Struct, frozen=True):
    """The catalogue's description of one kind of a table, such as ("protocol", "olh").

    reason : a line on why to pick it.
    brief : the same, shorter.
    text : what it does.
    formula : lines of at most 76 cells.
    family : the family of a protocol, a key of `families`.
    group : the folded group in the list of protocols, a key of `folded_groups`; "" if it is always
        shown.
    sweep : True if a new sweep of the kind includes it. Empty texts mean that there is nothing to
        say.
    """

    table: str
    kind: str
    name: str
    reason: str = ""
    brief: str = ""
    text: str = ""
    formula: str = ""
    source: str = ""
    family: str = ""
    group: str = ""
    sweep: bool = False


@lru_cache(maxsize=1024)
def kind_words(table: str, kind: str) -> KindWords:
    """The catalogue's description of a kind; its name alone if it is not described."""
    row = rows("kinds", table=table).get(kind)
    return KindWords(table, kind, kind) if row is None else KindWords(table, kind, **row)


def listed_kinds(table: str) -> tuple[str, ...]:
    """The kinds of `protocol`, `attack` or `population`, in the order of the lists."""
    return tuple(rows("kinds", table=table))


def in_order(table: str, kinds: Iterable[str]) -> tuple[str, ...]:
    """Some kinds of a table in the order of its list."""
    listed = listed_kinds(table)
    return tuple(sorted(kinds, key=lambda kind: (kind not in listed, [*listed, kind].index(kind))))


def families() -> Mapping[str, str]:
    """The groups of protocols with their titles, in order."""
    return dict(rows("kinds", table="families"))


def folded_groups() -> Mapping[str, str]:
    """The folded groups of the list of protocols with their titles, in order."""
    return dict(rows("kinds", table="folded_groups"))


def swept_kinds(table: str, chosen: str) -> list[str]:
    """The kinds that a new sweep of a table's `kind` compares, including the chosen one."""
    kinds = [kind for kind in listed_kinds(table) if kind_words(table, kind).sweep]
    return kinds if chosen in (*kinds, "", "none") else [*kinds, chosen]


class MetricWords(Struct, frozen=True):
    """The catalogue's description of one metric, such as `normalised_gain`.

    column : the meaning of its column in exported runs.
    meaning : two plain sentences.
    formula : lines of at most 76 cells.
    verdict : a sentence with its value, and {fakes} if it is about the attack.
    leads : its rank among the metrics that summarise a sweep, 0 if it is none of them.
    aside : True if tables of sweeps show it only on request. Empty texts mean that there is nothing
        to say.
    """

    metric: str
    name: str
    symbol: str = ""
    column: str = ""
    meaning: str = ""
    formula: str = ""
    source: str = ""
    verdict: str = ""
    leads: int = 0
    aside: bool = False

    @property
    def title(self) -> str:
        """The name as it begins a line."""
        return f"{self.name[:1].upper()}{self.name[1:]}"


def leading_metrics() -> list[str]:
    """The metrics that summarise a sweep, the most informative first."""
    places = {name: row["leads"] for name, row in rows("metrics").items() if "leads" in row}
    return sorted(places, key=places.__getitem__)


def is_ours(metric: str) -> bool:
    """True for a metric described here, False for a metric in Python."""
    return metric in rows("metrics")


def metric_words(metric: str) -> MetricWords:
    """The catalogue's description of a metric; its column name alone if it is not described."""
    row = rows("metrics").get(metric)
    if row is not None:
        return MetricWords(metric, **row)
    defended = metric.removesuffix("_after")
    clean = defended.removesuffix("_clean")
    arm = f"{', clean' * (clean != defended)}{', defended' * (defended != metric)}"
    return MetricWords(metric, clean.replace("_", " ") + arm)


class TabWords(Struct, frozen=True):
    """The catalogue's description of one tab of the charts, such as `gain`; `runs` is pane 5.

    shows : its content, for the documentation too.
    reading : how to read it.
    metric : the metric whose formula and source it shows; "" if it has its own, or none.
    """

    tab: str
    shows: str
    reading: str
    metric: str = ""
    formula: str = ""
    source: str = ""


def tab_words(tab: str) -> TabWords:
    """The catalogue's description of a tab, with the formula and the source of its metric."""
    words = TabWords(tab, **rows("tabs")[tab])
    if not words.metric:
        return words
    metric = metric_words(words.metric)
    return replace(words, formula=metric.formula, source=metric.source)
