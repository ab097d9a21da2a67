"""A draft whose kinds change: which keys come, stay and go, and the values of those."""

from pathlib import Path

from support.draft_cases import TEXT, plain

from ldptui import scenarios
from ldptui.session.draft import (
    Draft,
    base,
    draft_of,
    edit_key,
    keys_of,
    kind_of,
    sweep_of,
    value_of,
)


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
