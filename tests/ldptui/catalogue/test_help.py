"""The words of the in-app help: every key, kind and metric has them, and they fit a terminal."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tomllib
import unicodedata
from dataclasses import fields
from importlib import resources

import pytest
from rich.cells import cell_len

from core import metrics, scenario
from core.attacks import ListedTargets, PickTargets
from core.bounds import Range, ranges
from core.goal import Goal
from ldptui.catalogue.help import (
    FieldHelp,
    KindHelp,
    MetricHelp,
    field_help,
    kind_help,
    lab_field_help,
    metric_help,
    named,
)
from ldptui.lab.forms import FORMS
from ldptui.widgets.field import LABEL_WIDTH

FIELDS = [
    *("format", "title", "about", "trials", "seed", "sweep", "script"),
    *("population.kind", "population.items", "population.users", "population.exponent"),
    *("population.ratio", "population.mean", "population.std", "population.counts"),
    *("population.path", "population.column", "population.count"),
    *("protocol.kind", "protocol.epsilon", "protocol.hash_range", "protocol.form"),
    *("protocol.f", "protocol.p", "protocol.q", "protocol.bits", "protocol.hashes"),
    *("protocol.cohorts", "protocol.alpha", "protocol.adjust"),
    *("protocol.delta", "protocol.neighbours"),
    *("attack.kind", "attack.share", "attack.targets", "attack.targets.pick"),
    *("attack.targets.count", "attack.targets.items", "attack.seeds", "attack.scoring"),
    *("attack.distribution", "attack.subset", "attack.size", "attack.cohort"),
    *("attack.name", "attack.options"),
    *("simulate.path", "simulate.top_k"),
    *("campaign.rounds", "campaign.churn", "campaign.drift"),
    *("attack.shape", "attack.mix", "attack.mix.weight", "attack.phase", "attack.phase.rounds"),
    *("attack.phase.share", "attack.phase.share.shape", "attack.phase.share.from"),
    *("attack.phase.share.to", "attack.phase.share.at", "attack.phase.muted"),
    *("goal.metric", "goal.at_least", "goal.over"),
]
LISTED = {key for key in FIELDS if re.match(r"attack\.(shape|mix|phase)", key)}
"""The attack as a script: its shape, the parts of a mixture and the phases."""
KINDS = {
    "protocol": ["grr", "sue", "oue", "blh", "olh", "rappor", "laplace", "geometric", "stability"],
    "attack": [
        *("none", "rpa", "ria", "ria-unperturbed", "input", "mga"),
        *("mga-a", "apa", "untargeted", "demote", "adaptive", "plugin"),
    ],
    "population": ["zipf", "uniform", "geometric", "normal", "counts", "csv"],
}
METRICS = [
    *("gain", "normalised_gain", "target_frequency", "target_frequency_clean", "mse"),
    *("mse_clean", "l1_error", "max_error", "targets_in_top_k", "detected"),
    "false_detected",
]
PAIRS = [(table, kind) for table, kinds in KINDS.items() for kind in kinds]


def check_formula(formula: str) -> None:
    for line in formula.split("\n"):
        assert cell_len(line) <= 76, line
        assert line == line.rstrip()


def check_text(*texts: str) -> None:
    for character in set("".join(texts)) - {"\n"}:
        assert unicodedata.category(character)[0] not in "CM", repr(character)
        assert cell_len(character) == 1, repr(character)


def of_field(key: str) -> FieldHelp:
    found = field_help(key)
    assert found is not None
    return found


@pytest.mark.parametrize("key", FIELDS)
def test_every_key_of_a_scenario_has_help(key: str) -> None:
    found = of_field(key)
    assert found.key == key
    assert found.label
    assert found.allowed
    assert found.meaning.endswith(".")
    assert 2 <= found.meaning.count(". ") + 1 <= 3, "two plain sentences"
    assert "\n" not in found.label + found.symbol + found.allowed + found.meaning + found.source
    assert cell_len(found.title) <= 30
    assert cell_len(found.allowed) <= 90
    check_formula(found.formula)
    check_text(found.title, found.meaning, found.allowed, found.formula, found.source)


@pytest.mark.parametrize(("table", "kind"), PAIRS)
def test_every_kind_has_help(table: str, kind: str) -> None:
    found = kind_help(table, kind)
    assert isinstance(found, KindHelp)
    assert (found.table, found.kind) == (table, kind)
    assert 0 < cell_len(found.reason) <= 72
    assert not found.reason.endswith(".")
    assert len(found.text) > 60
    assert "\n" not in found.name + found.reason + found.text + found.source
    assert found.formula
    check_formula(found.formula)
    check_text(found.name, found.reason, found.text, found.formula, found.source)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_help(name: str) -> None:
    found = metric_help(name)
    assert isinstance(found, MetricHelp)
    assert found.name == name
    assert found.label
    assert found.meaning.endswith(".")
    check_formula(found.formula)
    check_text(found.label, found.symbol, found.meaning, found.formula, found.source)


def test_nothing_is_written_that_nobody_asks_for() -> None:
    text = resources.files("ldptui.catalogue").joinpath("help.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    assert set(data) == {"field", "kind", "metric"}
    assert list(data["field"]) == FIELDS
    assert {table: list(kinds) for table, kinds in data["kind"].items()} == KINDS
    assert list(data["metric"]) == METRICS
    known = {
        "field": {"label", "symbol", "meaning", "allowed", "formula", "source"},
        "metric": {"label", "column", "symbol", "meaning", "formula", "source"},
    }
    for section, keys in known.items():
        assert all(set(row) <= keys for row in data[section].values())
    for kinds in data["kind"].values():
        assert all(
            set(row) <= {"name", "reason", "text", "formula", "source"} for row in kinds.values()
        )


def declared() -> dict[str, Range | None]:
    """Every key that `core` knows, with the range declared for it, if there is one."""
    tables = {
        **{name: tuple(kinds.values()) for name, kinds in scenario.KINDS.items()},
        "attack.targets": (PickTargets, ListedTargets),
        "simulate": (scenario.Simulate,),
        "goal": (Goal,),
        "campaign": (scenario.Campaign,),
    }
    found: dict[str, Range | None] = {}
    for field in fields(scenario.Point):
        if field.name not in tables:
            found[field.name] = ranges(scenario.Point).get(field.name)
    for table, kinds in tables.items():
        for kind in kinds:
            for field in fields(kind):
                found[f"{table}.{field.name}"] = ranges(kind).get(field.name)
    return found


def test_the_keys_and_kinds_are_those_of_the_core() -> None:
    assert set(declared()) | {"sweep", "script"} | LISTED == set(FIELDS)
    assert list(metrics.METRICS) == METRICS
    assert {table: set(kinds) for table, kinds in scenario.KINDS.items()} == {
        table: set(kinds) for table, kinds in KINDS.items()
    }


@pytest.mark.parametrize("key", [key for key, allowed in declared().items() if allowed])
def test_the_allowed_values_are_those_of_the_core(key: str) -> None:
    allowed = declared()[key]
    assert allowed is not None
    text = of_field(key).allowed
    numbers = [int(a) ** int(b or 1) for a, b in re.findall(r"(\d+)(?:\^(\d+))?", text)]
    for bound in (allowed.low, allowed.high):
        assert math.isinf(bound) or bound in numbers, f"{key}: {allowed}, help: {text}"


def test_labels_are_in_words_and_symbol() -> None:
    assert of_field("protocol.epsilon").title == "privacy budget ε"
    assert of_field("attack.share").title == "share of fake users β"
    assert of_field("trials").title == "trials"


def test_a_key_inside_a_list_has_the_help_of_its_own_or_of_the_attack() -> None:
    assert of_field("attack.mix.0.weight").title == "weight w"
    assert of_field("attack.phase.2.mix.1.weight").title == "weight w"
    assert of_field("attack.phase.2.mix.1.seeds").meaning == of_field("attack.seeds").meaning
    assert of_field("attack.mix.*.targets.count").label == "number of targets"
    assert of_field("attack.phase.0.rounds").label == "rounds it lasts"


def test_the_letters_of_rappor_are_said_to_be_opposite_to_those_of_wang() -> None:
    assert all("opposite to Wang's" in of_field(f"protocol.{one}").meaning for one in "pq")
    kind = kind_help("protocol", "rappor")
    assert kind is not None
    assert "opposite roles to Wang's" in kind.text


def test_unknown_names_have_no_help() -> None:
    assert field_help("protocol.gamma") is None
    assert kind_help("protocol", "mga") is None
    assert kind_help("defence", "none") is None
    assert metric_help("f1") is None


def test_a_swept_key_has_the_help_of_the_sweep() -> None:
    found = of_field("sweep.attack.share")
    assert found.key == "sweep.attack.share"
    assert found.meaning == of_field("sweep").meaning


def test_the_help_costs_nothing_heavy() -> None:
    code = (
        "import sys; import ldptui.catalogue.help as h; h.field_help('seed'); "
        "print({'numpy', 'textual', 'rich', 'plotext', 'pydantic', 'core'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_key_is_named_as_the_form_does() -> None:
    assert named("attack.share") == "share of fake users β (attack.share)"
    assert named("simulate.top_k") == "top k (simulate.top_k)"
    assert named("attack.mix.1.weight") == "weight w (attack.mix.1.weight)"
    assert named("protocol.nonsense") == "protocol.nonsense"
    assert named("") == ""


def test_no_label_of_a_field_is_cut() -> None:
    """A mark of two cells, the label, and a gap before the value."""
    entries = {entry.name for form in FORMS.values() for entry in form if not entry.bare}
    known = [*map(field_help, FIELDS), *map(lab_field_help, entries)]
    titles = {one.title for one in known if one is not None}
    assert len(titles) > 40
    assert [one for one in titles if cell_len(one) > LABEL_WIDTH - 3] == []
