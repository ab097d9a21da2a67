"""The draft: text in, problems out, form edits that keep everything else as typed."""

import random
import tomllib
from pathlib import Path

import pytest
from support.draft_cases import TEXT, plain

from ldptui import scenarios
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
    mark_saved,
    new_sweep,
    own_problem,
    repair_of,
    sweep_of,
    sweepable,
    value_of,
)


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


def test_base_takes_the_tables_value_or_the_middle() -> None:
    swept = parse(TEXT)
    assert "sweep" not in base(swept).document
    assert base(swept).document["attack"]["share"] == 0.05
    without = parse(TEXT.replace("share = 0.05\n", "", 1))
    assert base(without).document["attack"]["share"] == pytest.approx(0.1)
    assert base(base(swept)) == base(swept)


def test_a_sweep_that_cannot_be_bound_is_a_problem(tmp_path: Path) -> None:
    for sweep in ('"attack.targets.count" = [1, 100]', '"population.items" = [2, 8]'):
        draft = draft_of(TEXT.partition('"attack.share"')[0] + sweep + "\n", tmp_path)
        assert [problem.key for problem in draft.problems] == ["attack.targets.count"]
    many = '"protocol.epsilon" = { from = 1, to = 2, points = 200_000 }'
    draft = draft_of(TEXT.partition('"attack.share"')[0] + many + "\n", tmp_path)
    assert [problem.key for problem in draft.problems] == ["sweep"]


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


def test_targets_that_phases_inherit_are_repaired_too() -> None:
    head = scenarios.path("quickstart").read_text(encoding="utf-8").partition("[attack]")[0]
    phase = '[[attack.phase]]\nrounds = 2\nshare = 0.1\nmix = [{ kind = "mga", weight = 1 }]\n'
    text = f"{head}[attack]\ntargets = {{ items = [40, 70] }}\n{phase}"
    repair = repair_of(edit_key(draft_of(text, Path()), "population.items", 49))
    assert repair is not None
    assert (repair.key, repair.value) == (
        "attack.targets", {"pick": "least-frequent", "count": 2},
    )  # fmt: skip
