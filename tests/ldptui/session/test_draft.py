"""The draft: text in, problems out, form edits that keep everything else as typed."""

import random
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.chart_cases import QUICK

from ldptui import scenarios
from ldptui.charts import curves
from ldptui.core.bounds import solver
from ldptui.core.population import Uniform
from ldptui.core.scenario import parse
from ldptui.session.draft import (
    Draft,
    allowed_range,
    base,
    default_of,
    draft_of,
    edit_key,
    edit_text,
    keys_of,
    kind_of,
    mark_saved,
    new_sweep,
    own_problem,
    populations,
    read_on,
    sweep_of,
    sweepable,
    value_of,
)

TEXT = """\
format = 1
title = "a test"  # with a comment
seed = 7

# who takes part
[population]
kind = "zipf"
items = 64  # d
users = 1_000_000
exponent = 1.1

[protocol]
kind = "olh"
epsilon = 1.0
hash_range = "ceil"

[attack]
kind = "mga"
share = 0.05
targets = { pick = "random", count = 3 }

[sweep]
"attack.share" = { from = 0.0, to = 0.2, points = 5 }
"""


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    return draft_of(TEXT, tmp_path)


def plain(text: str, tmp_path: Path) -> Draft:
    return draft_of(text.partition("\n[sweep]")[0] + "\n", tmp_path)


def test_a_good_text_is_bound(draft: Draft) -> None:
    assert draft.problems == ()
    assert draft.parses
    assert not draft.is_modified
    cell = draft.cell
    assert cell is not None
    assert cell.share == pytest.approx(0.05, abs=1e-6)
    assert cell.population.users == 1_000_000
    assert cell.targets.size == 3


def test_a_form_edit_changes_one_line(draft: Draft) -> None:
    after = edit_key(draft, "protocol.epsilon", 2.5)
    changed = [
        (old, new)
        for old, new in zip(draft.text.splitlines(), after.text.splitlines(), strict=True)
        if old != new
    ]
    assert changed == [("epsilon = 1.0", "epsilon = 2.5")]
    assert after.is_modified
    assert after.scenario is not draft.scenario
    assert after.cell.protocol.epsilon == 2.5  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("key", "value", "message", "line"),
    [
        ("protocol.epsilon", "abc", 'must be a number in (0, 20], got "abc"', 14),
        ("protocol.epsilon", 0, "must be in (0, 20], got 0", 14),
        ("population.items", "", "must be an integer in [2, 2^20], it is empty", 8),
        ("attack.targets.count", 65, "must be in [1, 64], the number of items, got 65", 20),
        (
            "population.users",
            10**14,
            "must be in [1, 10^13], got 100 000 000 000 000",
            9,
        ),
        ("attack.share", 1.5, "must be in [0, 1), got 1.5", 19),
        ("trials", 0, "must be in [1, 10^6], got 0", 6),
    ],
)
def test_a_bad_value_is_kept_and_named(
    draft: Draft, key: str, value: object, message: str, line: int
) -> None:
    bad = edit_key(draft, key, value)
    problem = bad.problem(key)
    assert problem is not None
    assert problem.message.replace("0.0", "0") == message
    assert problem.line == line
    assert value_of(bad, key) == value
    assert bad.scenario is draft.scenario
    assert bad.cell is draft.cell
    good = edit_key(bad, key, value_of(draft, key))
    assert good.problems == ()


def test_text_that_does_not_parse_keeps_the_last_valid_scenario(draft: Draft) -> None:
    broken = edit_text(draft, draft.text.replace("share = 0.05", "share = 0.05 0"))
    assert not broken.parses
    assert [problem.line for problem in broken.problems] == [19]
    assert broken.problems[0].message.startswith("the script is not valid TOML")
    assert broken.document is draft.document
    assert broken.scenario is draft.scenario
    assert edit_key(broken, "protocol.epsilon", 2.0) is broken
    assert edit_text(broken, draft.text).problems == ()


def test_editing_a_swept_key_keeps_its_sweep(draft: Draft) -> None:
    after = edit_key(draft, "attack.share", 0.1)
    assert sweep_of(after) == sweep_of(draft)
    assert after.cell.share == pytest.approx(0.1, abs=1e-6)  # type: ignore[union-attr]


def test_a_swept_seed_stays_swept(tmp_path: Path) -> None:
    draft = draft_of(TEXT.replace('"attack.share" = ', "seed = [1, 2]\n#"), tmp_path)
    after = edit_key(draft, "seed", 3)
    assert value_of(after, "seed") == 3
    assert sweep_of(after) == {"seed": [1, 2]}


def test_sweeps_are_added_changed_and_removed(draft: Draft) -> None:
    one = edit_key(draft, "sweep.protocol.epsilon", [0.5, 1, 2])
    assert sweep_of(one) == {**sweep_of(draft), "protocol.epsilon": [0.5, 1, 2]}
    assert one.scenario.cells == 15  # type: ignore[union-attr]
    bad = edit_key(one, "sweep.attack.share", {"from": 0, "to": 1.5, "points": 4})
    problem = bad.problem("attack.share")
    assert problem is not None
    assert "must be in [0, 1)" in problem.message
    two = edit_key(edit_key(bad, "sweep.attack.share", None), "sweep.protocol.epsilon", None)
    assert sweep_of(two) == {}
    assert "[sweep]" not in two.text
    assert two.problems == ()


def test_removing_a_sweep_leaves_a_value(tmp_path: Path) -> None:
    draft = draft_of(TEXT.replace("share = 0.05\n", "", 1), tmp_path)
    assert draft.problems == ()
    assert value_of(draft, "attack.share") == pytest.approx(0.1)
    after = edit_key(draft, "sweep.attack.share", None)
    assert after.problems == ()
    assert after.document["attack"]["share"] == pytest.approx(0.1)  # type: ignore[index]


def test_a_new_kind_gets_its_keys_and_the_old_one_gets_them_back(tmp_path: Path) -> None:
    draft = plain(TEXT, tmp_path)
    for kind in ("uniform", "normal", "geometric", "counts", "zipf"):
        draft = edit_key(draft, "population.kind", kind)
        assert draft.problems == (), kind
        assert set(draft.document["population"]) <= {"kind", *keys_of("population", kind)}  # type: ignore[index]
    assert draft.document["population"] == {  # type: ignore[index]
        "kind": "zipf", "items": 64, "users": 1_000_000, "exponent": 1.1,
    }  # fmt: skip
    assert "# who takes part" in draft.text


def test_an_attack_can_be_switched_off_and_on(draft: Draft) -> None:
    off = edit_key(draft, "attack.kind", "none")
    assert off.problems == ()
    assert off.cell.attack is None  # type: ignore[union-attr]
    on = edit_key(off, "attack.kind", "ria")
    assert on.document["attack"] == {**draft.document["attack"], "kind": "ria"}  # type: ignore[index]


def test_an_attack_from_nothing_is_complete(tmp_path: Path) -> None:
    text = TEXT.partition("\n[attack]")[0] + "\n"
    draft = draft_of(text, tmp_path)
    assert kind_of(draft, "attack") == "none"
    on = edit_key(draft, "attack.kind", "mga")
    assert on.problems == ()
    assert on.document["attack"] == {  # type: ignore[index]
        "kind": "mga", "share": 0.05, "targets": {"pick": "random", "count": 10},
    }  # fmt: skip


def test_a_kind_takes_the_sweeps_with_it_that_it_does_not_know(tmp_path: Path) -> None:
    text = TEXT.replace('"attack.share" = {', '"protocol.hash_range" = [2, 3]\n"attack.share" = {')
    after = edit_key(draft_of(text, tmp_path), "protocol.kind", "oue")
    assert after.problems == ()
    assert list(sweep_of(after)) == ["attack.share"]
    assert "hash_range" not in after.text


def test_a_swept_kind_keeps_the_keys_of_all_its_kinds(tmp_path: Path) -> None:
    text = TEXT.replace("[sweep]", '[sweep]\n"protocol.kind" = ["grr", "olh"]')
    after = edit_key(draft_of(text, tmp_path), "protocol.kind", "grr")
    assert after.problems == ()
    assert after.document["protocol"]["hash_range"] == "ceil"  # type: ignore[index]
    assert after.cell.protocol.facts().get("hash_range") is None  # type: ignore[union-attr]


def test_targets_are_picked_or_listed(tmp_path: Path) -> None:
    listed = edit_key(plain(TEXT, tmp_path), "attack.targets.items", [1, 2])
    assert listed.document["attack"]["targets"] == {"items": [1, 2]}  # type: ignore[index]
    assert "{items = [1, 2]}" in listed.text.replace("{ ", "{").replace(" }", "}")
    whole = edit_key(listed, "attack.targets", {"pick": "random", "count": 2})
    assert whole.problems == ()


def test_a_part_drops_the_targets_that_its_new_kind_does_not_know(tmp_path: Path) -> None:
    part = {"kind": "mga", "weight": 1.0, "targets": {"items": [1]}}
    mixed = edit_key(draft_of(TEXT, tmp_path), "attack", {"share": 0.1, "mix": [part]})
    random_set = edit_key(mixed, "attack.mix.0.kind", "untargeted")
    assert random_set.problems == ()
    assert "targets" not in random_set.document["attack"]["mix"][0]  # type: ignore[index]
    assert edit_key(random_set, "attack.mix.0.kind", "mga").problems == ()


def test_an_unknown_kind_loses_no_key(draft: Draft) -> None:
    unknown = edit_key(draft, "attack.kind", "nope")
    assert unknown.document is not None
    assert draft.document is not None
    assert unknown.document["attack"] == {**draft.document["attack"], "kind": "nope"}


def test_base_takes_the_tables_value_or_the_middle() -> None:
    swept = parse(TEXT)
    assert "sweep" not in base(swept).document
    assert base(swept).document["attack"]["share"] == 0.05
    without = parse(TEXT.replace("share = 0.05\n", "", 1))
    assert base(without).document["attack"]["share"] == pytest.approx(0.1)
    assert base(base(swept)) == base(swept)


def test_base_of_swept_kinds_is_valid(tmp_path: Path) -> None:
    text = TEXT.partition("[attack]")[0].replace('kind = "olh"\n', "") + (
        "[attack]\nshare = 0.1\ntargets = { items = [1] }\nseeds = 10\n"
        '[sweep]\n"protocol.kind" = ["grr", "olh"]\n"attack.kind" = ["none", "rpa", "mga"]\n'
    )
    draft = draft_of(text, tmp_path)
    assert draft.problems == ()
    assert base(draft.scenario).problems() == []  # type: ignore[arg-type]
    assert kind_of(draft, "protocol") == "olh"
    assert kind_of(draft, "attack") == "rpa"


def test_a_sweep_that_cannot_be_bound_is_a_problem(tmp_path: Path) -> None:
    for sweep in ('"attack.targets.count" = [1, 100]', '"population.items" = [2, 8]'):
        draft = draft_of(TEXT.partition('"attack.share"')[0] + sweep + "\n", tmp_path)
        assert [problem.key for problem in draft.problems] == ["attack.targets.count"]
    many = '"protocol.epsilon" = { from = 1, to = 2, points = 200_000 }'
    draft = draft_of(TEXT.partition('"attack.share"')[0] + many + "\n", tmp_path)
    assert [problem.key for problem in draft.problems] == ["sweep"]


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


def test_a_problem_of_a_sweep_has_its_line(draft: Draft) -> None:
    bad = edit_key(draft, "sweep.attack.share", [0.1, 1.5])
    assert [(problem.key, problem.line) for problem in bad.problems] == [("attack.share", 23)]
    assert own_problem(bad, "attack.share") is None
    both = edit_key(edit_key(bad, "attack.share", 2), "sweep.attack.share", [0.1])
    assert [(problem.key, problem.line) for problem in both.problems] == [("attack.share", 19)]
    assert own_problem(both, "attack.share") is not None


def test_saving_moves_the_folder(draft: Draft, tmp_path: Path) -> None:
    after = mark_saved(edit_key(draft, "seed", 8), tmp_path / "below" / "mine.toml")
    assert not after.is_modified
    assert after.folder == tmp_path / "below"
    assert edit_key(after, "seed", 9).is_modified


def test_the_schema_gives_ranges_defaults_and_keys() -> None:
    assert str(allowed_range("attack.share")) == "in [0, 1)"
    assert str(allowed_range("population.items")) == "in [2, 2^20]"
    assert allowed_range("population.path") is None
    assert default_of("trials") == 20
    assert default_of("attack.seeds", "mga") == 1000
    assert default_of("protocol.epsilon", "grr") is None
    assert keys_of("population", "normal") == ("items", "users", "mean", "std")


def test_what_is_left_out_has_the_default_of_its_kind() -> None:
    text = TEXT.replace('hash_range = "ceil"\n', "").replace(
        '"attack.share" = { from = 0.0, to = 0.2, points = 5 }',
        '"protocol.kind" = ["olh", "laplace"]',
    )
    draft = draft_of(text, Path())
    assert draft.problems == ()
    for key, value in {
        "protocol.neighbours": "change-one",  # of the swept kind alone
        "protocol.hash_range": "nearest",
        "simulate.path": "auto",
        "attack.scoring": "anchor",
    }.items():
        assert value_of(draft, key) == value, key
    mixed = edit_key(draft, "attack", {"share": 0.1, "mix": [{"kind": "mga", "weight": 1}]})
    assert value_of(mixed, "attack.mix.0.seeds") == 1000
    assert value_of(mixed, "attack.mix.0.scoring") == "anchor"


def test_whatever_is_typed_is_kept(tmp_path: Path) -> None:
    chance = random.Random(1)
    edits: list[tuple[str, object]] = [
        ("protocol.epsilon", 2.0),
        ("population.kind", "normal"),
        ("attack.kind", "rpa"),
        ("attack.targets.pick", "random"),
        ("sweep.attack.share", [0.1]),
        ("sweep.attack.share", None),
        ("simulate.top_k", None),
    ]
    for _ in range(60):
        at, length = chance.randrange(len(TEXT)), chance.randrange(1, 40)
        text = (
            TEXT[:at]
            + chance.choice(["", "=", "[", '"', "{}", "1e400", "nan"])
            + TEXT[at + length :]
        )
        draft = draft_of(text, tmp_path)
        assert draft.text == text
        after = edit_key(draft, *chance.choice(edits))
        if after.parses:
            tomllib.loads(after.text)
        else:
            assert after is draft


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


def test_rappor_takes_the_budget_over_and_gives_it_back() -> None:
    draft = draft_of(TEXT, Path())
    rappor = edit_key(draft, "protocol.kind", "rappor")
    assert rappor.problems == ()
    assert rappor.document["protocol"] == {"kind": "rappor", "epsilon": 1.0}
    by_f = edit_key(rappor, "protocol.f", 0.5)
    assert by_f.document["protocol"] == {"kind": "rappor", "f": 0.5}
    back = edit_key(by_f, "protocol.kind", "oue")
    assert back.document["protocol"] == {"kind": "oue", "epsilon": 1.07}  # of one report
    again = edit_key(back, "protocol.kind", "rappor")  # walked past in the list
    assert again.document["protocol"] == {"kind": "rappor", "f": 0.5}
    other = edit_key(edit_key(back, "protocol.epsilon", 2), "protocol.kind", "rappor")
    assert other.document["protocol"] == {"kind": "rappor", "epsilon": 2}
    assert not any(draft.problems for draft in (by_f, back, again, other))
    too_much = edit_key(edit_key(back, "protocol.epsilon", 4), "protocol.kind", "rappor")
    assert too_much.problems == ()
    assert too_much.document["protocol"] == {"kind": "rappor", "f": 0.5}


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


def test_a_goal_takes_the_place_of_a_swept_share() -> None:
    path = Path(str(scenarios.path("quickstart")))
    draft = draft_of(path.read_text(encoding="utf-8"), path.parent, path)

    aimed = edit_key(draft, "goal", {"metric": "gain", "at_least": 0.5})
    swept = edit_key(aimed, "sweep.goal.at_least", [0.2, 0.5])
    back = edit_key(swept, "attack.share", 0.05)

    assert aimed.problems == swept.problems == back.problems == ()
    assert "attack.share" not in sweep_of(aimed)
    assert "goal.at_least" in sweep_of(swept)
    assert sweep_of(back) == {}


def test_no_attack_has_no_goal() -> None:
    path = Path(str(scenarios.path("fake-accounts")))
    draft = draft_of(path.read_text(encoding="utf-8"), path.parent, path)

    none = edit_key(draft, "attack.kind", "none")
    again = edit_key(none, "attack.kind", "mga")

    assert none.problems == again.problems == ()
    assert "goal" not in (none.document or {})
    assert not [key for key in sweep_of(none) if key.startswith("goal")]
    assert value_of(again, "attack.share") == 0.05


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


RAPPOR = TEXT.replace(
    'kind = "olh"\nepsilon = 1.0\nhash_range = "ceil"', 'kind = "rappor"\nf = 0.5\ncohorts = 16'
)
CURATOR = TEXT.replace('kind = "olh"\n', 'kind = "laplace"\n').replace('hash_range = "ceil"\n', "")


@pytest.mark.parametrize("text", [TEXT, RAPPOR, CURATOR])
def test_every_key_that_can_be_swept_starts_valid(text: str, tmp_path: Path) -> None:
    draft = plain(text, tmp_path)
    found = sweepable(draft)
    assert len(found) > 10
    for key in found:
        after = edit_key(draft, f"sweep.{key}", new_sweep(draft, key))
        bad = [problem for problem in after.problems if "number of items" not in problem.message]
        assert bad == [], key
