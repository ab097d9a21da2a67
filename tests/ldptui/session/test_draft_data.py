"""The data of a draft: files and large populations are read beside the screen, and kept."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.chart_cases import QUICK
from support.draft_cases import TEXT, plain

from ldptui.charts import curves
from ldptui.core.bounds import solver
from ldptui.core.population import Uniform
from ldptui.session.draft import (
    Draft,
    draft_of,
    edit_key,
    populations,
    read_on,
)


def test_csv_problems_are_sentences_under_their_key(tmp_path: Path) -> None:
    draft = edit_key(plain(TEXT, tmp_path), "population.kind", "csv")
    assert "must name a CSV file" in draft.problem("population.path").message  # type: ignore[union-attr]
    draft = edit_key(draft, "population.path", "people.csv")
    assert "No such file" in draft.problem("population.path").message  # type: ignore[union-attr]
    (tmp_path / "people.csv").write_text("age,city\n1,Rome\n2,Oslo\n3,Rome\n4,Bern\n")
    draft = edit_key(draft, "population.column", "town")
    assert "age, city" in draft.problem("population.column").message  # type: ignore[union-attr]
    draft = edit_key(draft, "population.column", "city")
    assert draft.problems == ()
    assert draft.cell.population.labels == ("Bern", "Oslo", "Rome")  # type: ignore[union-attr]
    (tmp_path / "people.csv").write_text("city\nRome\nOslo\nBern\nBern\nBern\n")
    assert edit_key(draft, "seed", 1).cell.population.users == 5  # type: ignore[union-attr]


def test_numbers_typed_as_targets_are_labels_where_there_are_such(tmp_path: Path) -> None:
    (tmp_path / "ages.csv").write_text("age\n" + "20\n" * 5 + "3\n" * 4 + "100\n" * 2)
    text = (
        'format = 1\n[population]\nkind = "csv"\npath = "ages.csv"\ncolumn = "age"\n'
        '[protocol]\nkind = "grr"\nepsilon = 1.0\n'
        '[attack]\nkind = "mga"\nshare = 0.1\ntargets = { items = ["20"] }\n'
    )
    draft = edit_key(draft_of(text, tmp_path), "attack.targets.items", [3, 100, 1])

    assert draft.document is not None
    assert draft.document["attack"]["targets"]["items"] == ["3", "100", 1]


def test_a_large_file_is_not_read_while_somebody_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draft: Draft
) -> None:
    monkeypatch.setattr("ldptui.session.draft.populations.LARGE_BYTES", 3)
    (tmp_path / "towns.csv").write_text("town\nRome\nParis\nRome\nOslo\n")
    table = {"kind": "csv", "path": "towns.csv", "column": "town"}
    waiting = edit_key(replace(draft, folder=tmp_path), "population", table)
    assert waiting.unread is not None
    assert waiting.unread.doing == "reading towns.csv"
    assert waiting.problems == ()
    assert waiting.scenario is draft.scenario  # the last valid one goes on
    waiting.unread.read()
    found = read_on(waiting)
    assert found.unread is None
    assert found.cell is not None
    assert found.cell.users == 4
    wrong = edit_key(found, "population.column", "city")
    assert wrong.unread is not None
    wrong.unread.read()
    assert "city" in read_on(wrong).problems[0].message


LARGE = """format = 1
[population]
kind = "uniform"
items = 200
users = 5000
[protocol]
kind = "oue"
epsilon = 1.0
[attack]
kind = "mga"
share = 0.05
targets = { pick = "random", count = 3 }
"""


def test_a_large_population_is_drawn_once_and_not_while_somebody_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldptui.session.draft.populations.LARGE_ITEMS", 100)
    binds: list[object] = []
    bind = Uniform.bind
    monkeypatch.setattr(Uniform, "bind", lambda *of: (binds.append(of), bind(*of))[1])
    waiting = draft_of(LARGE, tmp_path)
    assert waiting.unread is not None
    assert waiting.unread.doing == "drawing the users of 200 items"
    assert (waiting.problems, waiting.cell, binds) == ((), None, [])
    waiting.unread.read()
    known = read_on(waiting)
    assert known.cell is not None
    assert (
        known.cell.population.histogram.tolist()
        == bind(Uniform(200, 5000), 0, tmp_path).histogram.tolist()
    )
    now = known
    for key, value in (
        ("protocol.epsilon", 2.0),
        ("attack.share", 0.1),
        ("protocol.kind", "grr"),
        ("attack.targets.count", 9),
        ("population.items", 50),  # a small one, at once
        ("population.items", 200),  # and back
    ):
        now = edit_key(now, key, value)
        assert (now.unread, now.problems) == (None, ())
    assert now.cell is not None
    assert now.cell.population is known.cell.population
    assert [of[0] for of in binds] == [Uniform(200, 5000), Uniform(50, 5000)]
    other = edit_key(now, "seed", 9)
    assert other.unread is not None
    assert other.cell is now.cell  # the last one goes on


def test_populations_do_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[populations.Origin, object] = {}
    monkeypatch.setattr(populations, "_KEPT", kept)
    monkeypatch.setattr(populations, "KEPT_ITEMS", 1000)
    made = [populations.draw_population(Uniform(300, n), 0, tmp_path) for n in (1, 2, 3)]
    assert populations.draw_population(Uniform(300, 1), 0, tmp_path) is made[0]
    populations.draw_population(Uniform(300, 4), 0, tmp_path)
    assert [population.spec.users for population in kept] == [
        3,
        1,
        4,
    ]  # the one used longest ago went
    huge = populations.draw_population(Uniform(5000, 1), 0, tmp_path)
    assert list(kept.values()) == [huge]
    monkeypatch.setattr(populations, "MOST_KEPT", 2)
    for seed in range(4):
        populations.draw_population(Uniform(3, 1), seed, tmp_path)
    assert [population.seed for population in kept] == [2, 3]


def test_an_attack_is_solved_for_beside_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_SOLVED", {})
    text = QUICK.replace('kind = "mga"', 'kind = "solved"')
    assert text != QUICK
    waiting = draft_of(text, Path())
    assert waiting.cell is None
    assert not waiting.problems
    assert waiting.unread is not None
    assert waiting.unread.doing == "solving for the attack"
    waiting.unread.read()
    found = read_on(waiting)
    assert found.unread is None
    assert found.cell is not None
    # What is drawn of it waits as well, unless it may take its time.
    scenario = found.scenario
    assert scenario is not None
    forms = curves.closed_forms(scenario)
    chosen = next(each for each in forms.axes("gain") if each.key == "attack.share")
    with pytest.raises(curves.LateError) as late:
        forms.curves("gain", chosen, log=False, patient=False)
    late.value.work()
    assert forms.curves("gain", chosen, log=False, patient=False)
    # What cannot be kept to is said at once.
    wrong = draft_of(text.replace("[attack]", "[attack]\nslack = 9.0"), Path())
    assert wrong.unread is None
    assert wrong.problems[0].key == "attack.slack"
