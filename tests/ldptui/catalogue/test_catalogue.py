"""The catalogue: every key, kind, metric and tab has one row, no other has; all texts are shown."""

from __future__ import annotations

import math
import re
import unicodedata
from importlib import resources

import pytest
from rich.cells import cell_len
from support.each import each

import ldptui
from ldptui import catalogue
from ldptui.catalogue import (
    Key,
    KindWords,
    MetricWords,
    key_words,
    kind_words,
    metric_words,
    start_of,
)
from ldptui.catalogue.keys import CODE
from ldptui.catalogue.toml_rows import rows
from ldptui.charts.kinds import KINDS as CHARTS
from ldptui.core.metrics import METRICS
from ldptui.core.protocols import KINDS as PROTOCOLS
from ldptui.core.protocols import family_of
from ldptui.core.scenario import (
    KEY_TYPES,
    KINDS,
    choices_of,
    is_required,
    names_of,
    range_of,
    sweepable_keys,
    type_of,
)
from ldptui.questions.field_help import lab_field_help
from ldptui.questions.topics import TOPICS
from ldptui.widgets.field import LABEL_WIDTH
from ldptui.widgets.field.typed import nudge_value, step_of

KEYS = catalogue.listed_keys()
FORM = {"sweep", "script"}
"""Fields of forms that are no keys of a scenario."""
PAIRS = [(table, kind) for table, kinds in KINDS.items() for kind in kinds]
TABLES = {
    ".".join(parts[:length])
    for parts in (re.sub(r"\.\*", "", key).split(".") for key in KEY_TYPES)
    for length in range(1, len(parts) + 1)
}
"""The known keys and the tables around them, without the places of parts."""


def check_formula(formula: str) -> None:
    for line in formula.split("\n"):
        assert cell_len(line) <= 76, line
        assert line == line.rstrip()


def check_text(*texts: str) -> None:
    for character in set("".join(texts)) - {"\n"}:
        assert unicodedata.category(character)[0] not in "CM", repr(character)
        assert cell_len(character) == 1, repr(character)


def test_every_known_key_has_words() -> None:
    assert [key for key in KEY_TYPES if not catalogue.has_words(key)] == []


def test_no_row_is_without_a_key() -> None:
    assert set(KEYS) - TABLES == FORM
    known = {*Key.__struct_fields__} - {"key"}
    assert all(set(row) <= known for row in rows("keys").values())


@pytest.mark.parametrize("table", KINDS)
def test_every_kind_has_a_row_and_no_other(table: str) -> None:
    assert set(catalogue.listed_kinds(table)) == set(KINDS[table])
    assert set(rows("kinds")) == {"families", "folded_groups", *KINDS}


def test_a_table_read_alone_is_that_of_the_whole_file() -> None:
    assert {table: rows("kinds", table=table) for table in rows("kinds")} == rows("kinds")
    assert rows("kinds", table="protocols") == {}


def test_every_metric_has_a_row_and_no_other() -> None:
    assert list(rows("metrics")) == list(METRICS)


def test_every_tab_and_the_runs_have_a_row_and_no_other() -> None:
    tabs = [kind.name for kind in CHARTS.values() if kind.title]
    assert list(rows("tabs")) == [*tabs, "runs"]
    for words in map(catalogue.tab_words, rows("tabs")):
        assert words.shows.endswith(".")
        assert words.reading.endswith(".")
        check_text(words.shows, words.reading, words.formula)
        check_formula(words.formula)


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_protocol_stands_in_the_family_of_its_mechanism(kind: str) -> None:
    assert kind_words("protocol", kind).family == family_of(kind)
    assert family_of(kind) in catalogue.families()


def the_words_about_a_key_are_whole(key: str) -> None:
    words = key_words(key)
    assert words.key == key
    assert words.name
    assert words.meaning.endswith(".")
    assert 2 <= words.meaning.count(". ") + 1 <= 3, "two plain sentences"
    plain = (words.name, words.symbol, words.phrase, words.meaning, words.note, words.source)
    assert not any("\n" in text for text in plain)
    assert cell_len(words.title) <= 30
    check_formula(words.formula)
    check_text(*plain, words.formula, words.brief, words.head)


def test_the_words_about_a_key_are_whole() -> None:
    each(KEYS, the_words_about_a_key_are_whole)


def the_words_about_a_kind_are_whole(table: str, kind: str) -> None:
    words = kind_words(table, kind)
    assert isinstance(words, KindWords)
    assert (words.table, words.kind) == (table, kind)
    assert 0 < cell_len(words.reason) <= 72
    assert not words.reason.endswith(".")
    assert cell_len(words.brief) <= 24
    assert bool(words.brief) == (table == "protocol")
    assert len(words.text) > 60
    assert "\n" not in words.name + words.reason + words.text + words.source
    assert words.formula
    check_formula(words.formula)
    check_text(words.name, words.reason, words.brief, words.text, words.formula, words.source)


def test_the_words_about_a_kind_are_whole() -> None:
    each(PAIRS, the_words_about_a_kind_are_whole)


def the_words_about_a_metric_are_whole(metric: str) -> None:
    words = metric_words(metric)
    assert isinstance(words, MetricWords)
    assert words.metric == metric
    assert words.name
    assert words.column
    assert words.meaning.endswith(".")
    check_formula(words.formula)
    check_text(words.name, words.symbol, words.column, words.meaning, words.formula, words.source)


def test_the_words_about_a_metric_are_whole() -> None:
    each(METRICS, the_words_about_a_metric_are_whole)


def test_a_form_begins_with_a_value_of_every_key_that_a_kind_requires() -> None:
    required = {
        f"{table}.{name}"
        for table, kind in PAIRS
        for name in names_of(table, kind)
        if name not in CODE and is_required(f"{table}.{name}", kind)
    }
    numbers = {"items": 64, "targets": 10}
    assert [key for key in required if start_of(key, numbers) is None] == []


def what_a_row_begins_with_is_allowed(key: str) -> None:
    """The start, the values of a new sweep and the span of an axis lie in the range of the key."""
    words, allowed = key_words(key), range_of(key)
    begun = [words.start] if words.start is not None else []
    if isinstance(words.start, dict):
        begun = []
        for name, value in words.start.items():
            below = range_of(f"{key}.{name}")
            assert value in (below if below is not None else choices_of(f"{key}.{name}"))
    elif isinstance(words.start, list):
        assert type_of(key) is list
        begun = []
    for values in (words.sweep, words.span):
        if isinstance(values, dict):
            begun += [values["from"], values["to"]]
        elif values is not None:
            begun += values
    for value in begun:
        if isinstance(value, int | float):
            assert allowed is not None
            assert value in allowed
        else:
            assert type_of(key) is str
    assert not words.axis or allowed is not None or type_of(key) is list
    assert set(words.words) <= set(choices_of(key))
    assert nudge_value(1, True, False, step_of(key, "number")) > 1
    if words.sweep is not None:
        assert key in sweepable_keys()


def test_what_a_row_begins_with_is_allowed() -> None:
    each(sorted({*KEYS} & {*KEY_TYPES}), what_a_row_begins_with_is_allowed)


def test_the_variables_of_a_chart_have_places_of_their_own() -> None:
    for chart in ("gain", "error"):
        places = [axis[chart] for key in KEYS if chart in (axis := key_words(key).axis)]
        assert sorted(places) == list(range(1, len(places) + 1))


def what_a_key_allows_is_read_from_its_dataclass(key: str) -> None:
    said, allowed = catalogue.allowed_values(key), range_of(key)
    assert said
    numbers = [float(a) ** int(b or 1) for a, b in re.findall(r"(\d[\d.]*)(?:\^(\d+))?", said)]
    for bound in (allowed.low, min(allowed.high, allowed.limit)) if allowed else ():
        assert math.isinf(bound) or bound in numbers
    assert all(str(word) in said for word in choices_of(key) if isinstance(word, str))


def test_what_a_key_allows_is_read_from_its_dataclass() -> None:
    each(KEY_TYPES, what_a_key_allows_is_read_from_its_dataclass)


def test_a_key_has_names_for_every_place() -> None:
    assert key_words("protocol.epsilon").title == "privacy budget ε"
    assert key_words("protocol.epsilon").short == "ε"
    assert key_words("protocol.epsilon").column == "epsilon"
    assert key_words("protocol.kind").column == "protocol"
    assert key_words("population.items").noun == "number of items d"
    assert key_words("trials").title == "trials"
    assert key_words("simulate.top_k").title == "top k"


def test_a_key_inside_a_list_has_words_of_its_own_or_of_the_attack() -> None:
    assert key_words("attack.mix.0.weight").title == "weight w"
    assert key_words("attack.phase.2.mix.1.weight").title == "weight w"
    assert key_words("attack.phase.2.mix.1.seeds").meaning == key_words("attack.seeds").meaning
    assert key_words("attack.mix.*.targets.count").name == "number of targets"
    assert key_words("attack.phase.0.rounds").name == "rounds it lasts"
    assert key_words("campaign.drift.ratio").name == key_words("population.ratio").name


def test_the_letters_of_rappor_are_said_to_be_opposite_to_those_of_wang() -> None:
    assert all("opposite to Wang's" in key_words(f"protocol.{name}").meaning for name in "pq")
    assert "opposite roles to Wang's" in kind_words("protocol", "rappor").text


def test_what_has_no_row_is_called_by_its_own_name() -> None:
    assert key_words("protocol.new_key") == Key("protocol.new_key", "new key")
    assert kind_words("protocol", "mga") == KindWords("protocol", "mga", "mga")
    assert metric_words("f1_score") == MetricWords("f1_score", "f1 score")
    assert catalogue.title_of("attack.options.strength") == "strength"


def test_a_swept_key_has_the_words_of_the_sweep() -> None:
    words = key_words("sweep.attack.share")
    assert words.key == "sweep.attack.share"
    assert words.meaning == key_words("sweep").meaning


def test_a_new_sweep_of_a_kind_holds_the_one_that_is_chosen() -> None:
    for table in ("protocol", "attack"):
        listed = catalogue.swept_kinds(table, "")
        assert len(listed) > 2
        for kind in KINDS[table]:
            assert kind in catalogue.swept_kinds(table, kind) or kind == "none"


def test_a_key_is_named_as_the_form_does() -> None:
    assert catalogue.key_label("attack.share") == "share of fake users β (attack.share)"
    assert catalogue.key_label("simulate.top_k") == "top k (simulate.top_k)"
    assert catalogue.key_label("attack.mix.1.weight") == "weight w (attack.mix.1.weight)"
    assert catalogue.key_label("") == ""


def test_no_label_of_a_field_is_cut() -> None:
    """A mark of two cells, the label, and a gap before the value."""
    blanks = [option for topic in TOPICS.values() for option in topic.blanks]
    entries = {option.name for option in blanks if option.blank and not option.blank.bare}
    known = [*map(key_words, KEYS), *map(lab_field_help, entries)]
    titles = {words.title for words in known if words is not None}
    assert len(titles) > 40
    assert [title for title in titles if cell_len(title) > LABEL_WIDTH - 3] == []


def test_no_other_file_has_a_table_of_keys() -> None:
    """Three keys of a scenario as the keys of one dict are a table that belongs here."""
    known = "|".join(re.escape(key) for key in KEY_TYPES if "." in key)
    row = rf'[ \t]*"(?:{known})":[^\n]*\n'
    root = resources.files(ldptui)
    tables = [
        path for path in root.rglob("*.py")  # type: ignore[attr-defined]
        if re.search(f"(?:{row}){{3}}", path.read_text(encoding="utf-8"))
    ]  # fmt: skip
    assert tables == []
