"""The protocol pane: choosing follows the hand, the recommendation and its why."""

import json
import math
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.form_app import SCENARIO, FormApp
from support.kinds import ITEM_KINDS

from ldptui.catalogue import kind_words, listed_kinds, shelves
from ldptui.commands.cli import main
from ldptui.core.protocols import NAMED, OLH, OUE
from ldptui.core.protocols.rappor import count_std
from ldptui.core.theory import frequency_std
from ldptui.screens.workbench.protocol import ProtocolPane
from ldptui.screens.workbench.protocol_facts import facts_of
from ldptui.session.draft import Draft, draft_of, edited
from ldptui.text.format import MISSING, short

SIZES = [(80, 20), (44, 10), (140, 50)]
SHELVES = {
    shelf: [
        kind for kind in listed_kinds("protocol") if kind_words("protocol", kind).shelf == shelf
    ]
    for shelf in ("", *shelves())
}
USUAL = SHELVES[""]
MEAN = """format = 1
population = { kind = "normal", items = 101, users = 10_000, mean = 40, std = 15 }
protocol = { kind = "sr", epsilon = 1.0 }
task = { kind = "mean", low = 0.0, high = 100.0 }
"""


def picture(app: FormApp) -> str:
    return str(app.pane.render())


def kinds_in(lines: list[str]) -> list[str]:
    """The kinds of the rows, in order, whatever stands between them."""
    rows = [line.split() for line in lines]
    return [row[1].lower() for row in rows if row and row[0][0] in "●○↔"]


@pytest.mark.parametrize("size", SIZES)
async def test_kinds_have_rows_and_nothing_is_cut(size: tuple[int, int]) -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=size):
        lines = picture(app).splitlines()
        listed = kinds_in(lines)
        assert all(cell_len(line) <= size[0] - 4 for line in lines)
        assert len(lines) <= size[1] - 2
        assert [line.split()[1] for line in lines if line.startswith("●")] == ["OLH"]
        assert not any("…" in line for line in lines)
        if any("↓" in line for line in lines):  # it scrolls
            assert size[1] < 50
            assert set(listed) < set(USUAL)
        else:
            assert listed == USUAL
            assert "σ of one estimate" in lines[0]
            for shelf, title in shelves().items():
                assert f"▸ {title} ({len(SHELVES[shelf])})" in lines


async def test_the_shelf_of_the_chosen_kind_is_open_and_the_next_opens_in_turn() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 40)) as pilot:
        app.pane.focus()
        app.show(edited(app.draft, "sweep.protocol.kind", ["olh", "laplace"]))
        await pilot.pause()
        titles = list(shelves().values())
        assert f"▸ {titles[-2]} (3)  ↔" in picture(app)
        await pilot.press("end")
        assert f"▾ {titles[-1]} (1)" in picture(app)
        await pilot.press("up")
        assert f"▾ {titles[-2]} (3)" in picture(app)
        assert f"▸ {titles[-1]} (1)" in picture(app)
        row = next(at for at, line in enumerate(picture(app).splitlines()) if "▸" in line)
        await pilot.click(ProtocolPane, offset=(6, row + 1))
        assert app.posted[-1] == ("protocol.kind", SHELVES[next(iter(shelves()))][0])
        assert f"▾ {titles[0]}" in picture(app)


async def test_every_kind_says_why_to_pick_it_in_a_narrow_column() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 40)):
        for kinds in SHELVES.values():
            app.pane._choose(kinds[0])
            lines = picture(app).splitlines()
            assert sorted(kinds_in(lines)) == sorted({*USUAL, *kinds})
            assert not any("…" in line for line in lines)


async def test_a_blank_stands_between_the_longest_reason_and_its_family() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(126, 50)):
        assert "name w items subset selection" in picture(app)


class Unfit:
    """The spec of a made-up kind: it cannot even be bound."""

    class mechanism:  # noqa: N801
        family = "made up"

    def __init__(self, **given: object) -> None:
        raise RuntimeError("nobody has told its formulas")


@pytest.mark.every(2)
@pytest.mark.parametrize("size", [*SIZES, (76, 22)])
async def test_twelve_more_kinds_scroll_and_take_nothing_from_the_others(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = FormApp(ProtocolPane)
    async with before.run_test(size=size):
        usual = facts_of(before.draft)
    for number in range(12):
        monkeypatch.setitem(NAMED, f"kind{number}", Unfit)
    app = FormApp(ProtocolPane)
    async with app.run_test(size=size) as pilot:
        facts = facts_of(app.draft)
        assert usual is not None
        assert facts is not None
        assert facts.spreads.items() >= usual.spreads.items()
        assert {facts.spreads[f"kind{number}"] for number in range(12)} == {MISSING}
        assert facts.recommended == usual.recommended
        seen = set()
        app.pane.focus()
        await pilot.press("home")
        for _ in NAMED:
            lines = picture(app).splitlines()
            assert len(lines) <= size[1] - 2
            assert all(cell_len(line) <= size[0] - 4 for line in lines)
            assert set(kinds_in(lines)) <= set(NAMED)
            seen |= set(kinds_in(lines))
            app.pane._scroll(1)
        assert seen == set(NAMED) - set(listed_kinds("protocol")) | set(USUAL)
        app.pane._choose("sue")
        assert "● SUE" in picture(app)  # what is chosen comes into view


async def test_moving_chooses_and_is_posted_once() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        app.pane.focus()
        chosen = app.draft.document["protocol"]["kind"]
        await pilot.press("up", "k", "down", "home", "up")
        kinds = USUAL
        near, far = (kinds[kinds.index(chosen) - back] for back in (1, 2))
        assert [kind for _, kind in app.posted] == [near, far, near, kinds[0]]
        assert {key for key, _ in app.posted} == {"protocol.kind"}
        # At the top, another up is nothing new.
        assert app.draft.document["protocol"]["kind"] == "grr"
        assert app.draft.problems == ()
        assert app.focused_key == "protocol.kind"


@pytest.mark.parametrize("size", [(80, 20), (44, 12)])
async def test_the_curators_stand_below_the_local_protocols(size: tuple[int, int]) -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=size) as pilot:
        app.pane.focus()
        await pilot.press("end", "up")  # below is one in Python, which needs a name
        last = listed_kinds("protocol")[-2]
        assert app.posted[-1] == ("protocol.kind", last)
        assert app.draft.problems == ()
        lines = picture(app).splitlines()
        assert kinds_in(lines)[-1] == last
        assert "Δ = 2  s = 2  threshold = 30.02" in picture(app)
        assert "★ least MSE at d = 64" in picture(app)  # of the local ones
        for kind in kinds_in(lines)[-2:]:
            lines = picture(app).splitlines()
            row = next(at for at, line in enumerate(lines) if kind in kinds_in([line]))
            await pilot.click(ProtocolPane, offset=(6, row + 1))
            assert app.posted[-1] == ("protocol.kind", kind)


async def test_a_click_chooses() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        third = kinds_in(picture(app).splitlines())[2]
        await pilot.click(ProtocolPane, offset=(6, 3))
        assert app.posted == [("protocol.kind", third)]


async def test_the_recommended_one_is_marked_with_why() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)) as pilot:
        assert "★ least MSE at d = 64, ε = 1: OUE/OLH/SS" in picture(app)
        stars = [
            line.split()[1] for line in picture(app).splitlines() if "±" in line and "★" in line
        ]
        assert stars == ["OUE", "OLH", "SS"]
        app.show(edited(app.draft, "protocol.epsilon", 4))
        await pilot.pause()
        assert "★ least MSE at d = 64, ε = 4: GRR/SS" in picture(app)
        stars = [
            line.split()[1] for line in picture(app).splitlines() if "±" in line and "★" in line
        ]
        assert stars == ["GRR", "SS"]


async def test_the_numbers_are_those_of_the_choice() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 12)):
        assert "p = 0.4754  q = 0.25  g = 4  a = 3.328\nσ = 0.00192" in picture(app)
        app.show(edited(app.draft, "protocol.kind", "oue"))
        assert "p = 0.5  q = 0.2689  a = 3.164\nσ = 0.00192" in picture(app)


async def test_what_comes_from_elsewhere_is_not_posted() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        app.retype(SCENARIO.replace('"olh"', '"sue"'))
        await pilot.pause()
        assert "● SUE" in picture(app)
        assert app.posted == []


async def test_a_broken_script_or_kind_shows_a_message_and_blocks() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)) as pilot:
        app.retype(SCENARIO.replace("users = 1_000_000", "users = "))
        app.pane.focus()
        await pilot.press("up")
        assert app.posted == []
        assert "line 8" in picture(app)
        app.retype(SCENARIO.replace('"olh"', '"gaussian"'))
        await pilot.pause()
        assert "must be one of" in picture(app)
        await pilot.press("down")  # from an unknown kind, the first one
        assert app.posted == [("protocol.kind", "grr")]


async def test_numbers_of_the_last_valid_setting_are_named_so() -> None:
    """And a folded pane shows none of them: what it says is what the draft says."""
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)):
        assert "σ of one estimate" in picture(app)
        assert app.pane.setting.startswith("OLH  p = ")
        app.retype(SCENARIO.replace("items = 64", "items = 1"))
        assert "σ of one estimate, last valid setting" in picture(app)
        assert app.pane.setting == "OLH"
        app.retype(SCENARIO)
        assert "last valid setting" not in picture(app)


async def test_huge_budgets_do_not_break_it() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)):
        app.show(edited(app.draft, "protocol.kind", "oue"))
        app.show(edited(app.draft, "protocol.epsilon", 20))
        assert "ε = 20: GRR" in picture(app)
        assert app.draft.problems == ()


async def test_empty_before_there_is_a_draft() -> None:
    class Empty(FormApp):
        def show(self, draft: Draft) -> None:
            pass

    app = Empty(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        app.pane.focus()
        await pilot.press("down")
        assert app.posted == []
        assert "GRR" in picture(app)


RAPPOR = """
kind = "rappor"
bits = 128
hashes = 2
cohorts = 16
f = 0.5
"""


@pytest.mark.parametrize(("f", "bounded"), [("0.5", "ε∞ = 4.39"), ("0.0", "ε∞ unbounded")])
async def test_rappor_says_what_it_gives_away(f: str, bounded: str) -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 12)):
        text = RAPPOR.replace("0.5", f)
        app.retype(SCENARIO.replace('\nkind = "olh"\nepsilon = 1.0\n', text))
        assert app.draft.problems == ()
        shown = picture(app)
        assert "● RAPPOR" in shown
        assert bounded in shown
        assert ("p* = 0.5625" if f == "0.5" else "p* = 0.5 ") in shown.replace("\n", " ")
        assert ("q* = 0.6875" if f == "0.5" else "q* = 0.75") in shown
        assert "reverse of Wang's p, q" in shown.replace("\n", " ")
        if f == "0.5":  # the others have the budget of one report, and σ is of one frequency
            facts = facts_of(app.draft)
            assert facts is not None
            spreads = facts.spreads
            cell = app.draft.cell
            one = cell.protocol.noise.epsilon_one(2)
            assert spreads["oue"] == f"±{frequency_std(OUE(64, one), cell.users):.4f}"
            assert (
                spreads["rappor"]
                == f"±{count_std(cell.protocol.noise, 2, cell.users) / cell.users:.4f}"
            )
            assert "ε₁ = 1.07: OUE/OLH/SS" in shown.replace("\n", " ")


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_the_pane_and_theory_say_the_same(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every number of the pane is one of `ldptui theory` at the scenario's d, n and ε."""
    written = SCENARIO.replace('"olh"', f'"{kind}"')
    facts = facts_of(draft_of(written, Path()))
    assert facts is not None
    options = ["--epsilon", "1", "--items", "64", "--users", "1000000"]
    assert main(["theory", kind, *options, "--format", "json"]) == 0
    values = json.loads(capsys.readouterr().out)
    places = len(facts.spreads[kind].partition(".")[2])
    spread = values["frequency_std"]
    assert facts.spreads[kind] in (f"±{spread:.{places}f}", f"±{short(spread, 2)}")
    said = dict(part.split(" = ") for part in facts.numbers.split("  ") if " = " in part)
    assert said.pop("σ") == short(spread, 3)
    known = {short(value) for value in values.values() if isinstance(value, int | float)}
    assert said
    assert set(said.values()) <= known


def test_of_heavy_hitters_the_numbers_are_those_of_a_group() -> None:
    task = 'task = { kind = "heavy-hitters", k = 5, bits = 48, groups = 10 }\n'
    facts = facts_of(draft_of(task + SCENARIO, Path()))
    assert facts is not None
    assert facts.asked == "10 groups of 100 000 users: 8 to 48 bits, 4 or 5 a level"
    assert facts.spreads["olh"] == f"±{frequency_std(OLH(64, 1.0), 100_000):.4f}"
    assert facts.spreads["grr"] == facts.spreads["laplace"] == MISSING
    assert facts.why == "least MSE in a group, ε = 1: OLH"


@pytest.mark.parametrize("kind", SHELVES["numbers"])
def test_of_numbers_the_spread_is_that_of_the_mean(kind: str) -> None:
    """In years, not in the numbers of [-1, 1] that the protocol knows."""
    draft = draft_of(MEAN.replace('"sr"', f'"{kind}"'), Path())
    facts, cell = facts_of(draft), draft.cell
    assert facts is not None
    assert cell is not None
    expected = math.sqrt(cell.task.expected(cell)["mean_squared_error_clean"])
    assert math.isclose(float(facts.spreads[kind][1:]), expected, rel_tol=0.05)
    assert facts.recommended <= {*SHELVES["numbers"]}
    assert facts.recommended
    assert facts.why.startswith("least MSE of the mean, ε = 1: ")
    assert facts.spreads["oue"] == MISSING
