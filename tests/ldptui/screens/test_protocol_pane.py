"""The protocol pane: choosing follows the hand, the recommendation and its why."""

import pytest
from support.form_app import SCENARIO, FormApp

from core.protocols import OUE
from core.theory import count_std, frequency_std
from ldptui.screens.workbench.protocol import ProtocolPane
from ldptui.session.draft import Draft, edited

SIZES = [(80, 20), (44, 10), (140, 50)]


def picture(app: FormApp) -> str:
    return str(app.pane.render())


@pytest.mark.parametrize("size", SIZES)
async def test_each_protocol_has_a_row_and_nothing_is_cut(size: tuple[int, int]) -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=size):
        lines = picture(app).splitlines()
        names = ["GRR", "SUE", "OUE", "BLH", "OLH", "RAPPOR"]
        assert [line.split()[1] for line in lines[:6]] == names
        assert all(len(line) <= size[0] - 4 for line in lines)
        assert len(lines) <= size[1] - 2
        assert lines[4].startswith("● ")
        assert all(len(line.split()) > 3 for line in lines[:6])  # each says why to pick it


async def test_moving_chooses_and_is_posted_once() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        app.pane.focus()
        await pilot.press("up", "k", "down", "home", "up")
        assert app.posted == [
            ("protocol.kind", kind) for kind in ("blh", "oue", "blh", "grr")
        ]  # at the top, another up is nothing new
        assert app.draft.document["protocol"]["kind"] == "grr"
        assert app.draft.problems == ()
        assert app.focused_key == "protocol.kind"


@pytest.mark.parametrize(("size", "rows"), [((80, 20), 3), ((44, 12), 1)])
async def test_the_curators_stand_below_the_local_protocols(
    size: tuple[int, int], rows: int
) -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=size) as pilot:
        app.pane.focus()
        await pilot.press("end")
        assert app.posted == [("protocol.kind", "stability")]
        assert app.draft.problems == ()
        lines = picture(app).splitlines()
        assert "● STABILITY" in "".join(lines[6 : 6 + rows])
        assert "noise scale s = 2  threshold 30" in picture(app)
        assert "★ d = 64" in picture(app)  # of the local ones
        assert all(len(line) <= size[0] - 4 for line in lines)
        place = (6, 6) if rows == 3 else (3, 6)
        await pilot.click(ProtocolPane, offset=(place[0] + 2, place[1] + 1))
        assert app.posted[-1] == ("protocol.kind", "laplace")
        assert ("threshold" in picture(app)) is False
        place = (6, 7) if rows == 3 else (13, 6)
        await pilot.click(ProtocolPane, offset=(place[0] + 2, place[1] + 1))
        assert app.posted[-1] == ("protocol.kind", "geometric")


async def test_a_click_chooses() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        await pilot.click(ProtocolPane, offset=(6, 3))
        assert app.posted == [("protocol.kind", "oue")]


async def test_the_recommended_one_is_marked_with_why() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)) as pilot:
        assert "★ d = 64 ≥ 3e^ε + 2 = 10.2 → OUE/OLH" in picture(app)
        stars = [line.split()[1] for line in picture(app).splitlines()[:5] if "★" in line]
        assert stars == ["OUE", "OLH"]
        app.show(edited(app.draft, "protocol.epsilon", 4))
        await pilot.pause()
        assert "★ d = 64 < 3e^ε + 2 = 166 → GRR" in picture(app)
        stars = [line.split()[1] for line in picture(app).splitlines()[:5] if "★" in line]
        assert stars == ["GRR"]


async def test_the_numbers_are_those_of_the_choice() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 12)):
        assert "p = 0.4754  q = 0.25  g = 4  σ = 0.00192" in picture(app)
        app.show(edited(app.draft, "protocol.kind", "oue"))
        assert "p = 0.5  q = 0.2689  σ = 0.00192" in picture(app)


async def test_what_comes_from_elsewhere_is_not_posted() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        app.retype(SCENARIO.replace('"olh"', '"sue"'))
        await pilot.pause()
        assert picture(app).splitlines()[1].startswith("● SUE")
        assert app.posted == []


async def test_a_broken_script_or_kind_is_said_and_blocks() -> None:
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


async def test_huge_budgets_do_not_break_it() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)):
        app.show(edited(app.draft, "protocol.kind", "oue"))
        app.show(edited(app.draft, "protocol.epsilon", 20))
        assert "→ GRR" in picture(app)
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
        assert "reverse of Wang's p, q" in shown
        if f == "0.5":  # the others have the budget of one report, and σ is of one frequency
            spreads = {line.split()[1]: line.split()[-1] for line in shown.splitlines()[:6]}
            cell = app.draft.cell
            one = cell.noise.epsilon_one(2)
            assert spreads["OUE"] == f"±{frequency_std(OUE(64, one), cell.users):.4f}"
            assert spreads["RAPPOR"] == f"±{count_std(cell.noise, 2, cell.users) / cell.users:.4f}"
            assert "3e^ε₁ + 2 = 10.8" in shown
