"""The protocol pane: choosing follows the hand, the best are marked."""

import json
import math
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.form_app import SCENARIO, FormApp
from support.kinds import ITEM_KINDS
from support.waiting import until

from ldptui.catalogue import folded_groups, kind_words, listed_kinds
from ldptui.commands.cli import main
from ldptui.core.protocols import NAMED, OLH, OUE
from ldptui.core.protocols.rappor import count_std
from ldptui.core.theory import expected_metrics, frequency_std
from ldptui.screens.workbench.protocol_facts import facts_of
from ldptui.screens.workbench.protocol_pane import ProtocolList, ProtocolPane, usual_kinds
from ldptui.session.draft import draft_of, edit_key
from ldptui.text.format import MISSING, short
from ldptui.widgets.option_list import LineList
from ldptui.widgets.picker import PickerScreen

SIZES = [(80, 20), (44, 10), (140, 50)]
GROUPS = {
    group: [
        kind for kind in listed_kinds("protocol") if kind_words("protocol", kind).group == group
    ]
    for group in ("", *folded_groups())
}
MEAN = """format = 1
population = { kind = "normal", items = 101, users = 10_000, mean = 40, std = 15 }
protocol = { kind = "sr", epsilon = 1.0 }
task = { kind = "mean", low = 0.0, high = 100.0 }
"""


def rows(app: FormApp) -> list[str]:
    listed = app.query_one(ProtocolList)
    return [str(option.prompt) for option in listed.options]


def said(app: FormApp) -> str:
    return str(app.pane._problem.content)  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", SIZES)
async def test_usual_kinds_have_rows_and_the_last_one_leads_to_all(size: tuple[int, int]) -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=size):
        *kinds, last = rows(app)
        assert [row.split()[1].lower() for row in kinds] == usual_kinds()
        assert last == f"  all {len(listed_kinds('protocol'))} protocols …"
        assert all(cell_len(row) <= size[0] - 4 for row in kinds)
        assert [row.split()[1] for row in kinds if row.startswith("●")] == ["OLH"]
        assert all("±" in row for row in kinds)
        app.show(edit_key(app.draft, "sweep.protocol.kind", ["olh", "laplace"]))
        assert [row.split()[:2] for row in rows(app)[-2:-1]] == [["↔", "LAPLACE"]]
        app.show(edit_key(app.draft, "protocol.kind", "ss"))
        assert "SS" in [row.split()[1] for row in rows(app)[:-1]]


class Unfit:
    """The spec of a made-up kind: it cannot even be bound."""

    class mechanism:  # noqa: N801
        family = "made up"

    def __init__(self, **given: object) -> None:
        raise RuntimeError("nobody has told its formulas")


def test_a_kind_that_cannot_be_bound_takes_nothing_from_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draft = draft_of(SCENARIO, Path())
    usual = facts_of(draft, NAMED)
    for number in range(12):
        monkeypatch.setitem(NAMED, f"kind{number}", Unfit)
    facts = facts_of(draft, NAMED)
    assert facts.spreads.items() >= usual.spreads.items()
    assert {facts.spreads[f"kind{number}"] for number in range(12)} == {MISSING}
    assert facts.recommended == usual.recommended


async def test_a_scenario_of_numbers_lists_the_protocols_of_numbers() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)):
        app.retype(MEAN)
        *kinds, _ = rows(app)
        assert [row.split()[1].lower() for row in kinds] == usual_kinds("sr")
        width = max(map(len, usual_kinds("sr")))
        assert {(row[width + 4], row[width + 5] == " ") for row in kinds} == {(" ", False)}
        assert all("±" in row for row in kinds)


async def test_moving_chooses_and_is_posted_once() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        app.query_one(ProtocolList).focus()
        await pilot.press("up", "k", "down", "home")
        usual = usual_kinds()
        at = usual.index("olh")
        near, far = usual[at - 1], usual[at - 2]
        assert [kind for _, kind in app.posted] == [near, far, near, usual[0]]
        assert {key for key, _ in app.posted} == {"protocol.kind"}
        assert app.draft.problems == ()
        assert app.focused_key == "protocol.kind"
        await pilot.press("end")  # the way to all chooses nothing
        assert app.draft.document["protocol"]["kind"] == "grr"


async def test_a_click_chooses() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        await pilot.click(ProtocolList, offset=(6, 0))
        assert app.posted == [("protocol.kind", usual_kinds()[0])]
        assert not app.screen.is_modal  # the list of all showed the kind chosen before
        await pilot.click(ProtocolList, offset=(6, len(usual_kinds())))
        await until(pilot, lambda: isinstance(app.screen, PickerScreen))
        assert str(app.screen.query_one(LineList).options[0].prompt).startswith("● GRR")


async def test_the_recommended_ones_are_marked() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)):
        assert [row.split()[1] for row in rows(app) if "★" in row] == ["OUE", "OLH"]
        app.show(edit_key(app.draft, "protocol.epsilon", 4))
        assert [row.split()[1] for row in rows(app) if "★" in row] == ["GRR"]
        assert app.draft.problems == ()


async def test_what_comes_from_elsewhere_is_not_posted() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(44, 10)) as pilot:
        app.retype(SCENARIO.replace('"olh"', '"sue"'))
        await pilot.pause()
        assert rows(app)[1].startswith("● SUE")
        assert app.posted == []


async def test_a_broken_script_or_kind_shows_a_message_and_blocks() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)) as pilot:
        app.retype(SCENARIO.replace("users = 1_000_000", "users = "))
        app.query_one(ProtocolList).focus()
        await pilot.press("up")
        assert app.posted == []
        assert "line 8" in said(app)
        app.retype(SCENARIO.replace('"olh"', '"gaussian"'))
        assert "must be one of" in said(app)


async def test_a_folded_pane_says_what_the_draft_says() -> None:
    app = FormApp(ProtocolPane)
    async with app.run_test(size=(80, 20)):
        assert app.pane.setting == "OLH  ±0.0019"  # type: ignore[attr-defined]
        app.retype(SCENARIO.replace("items = 64", "items = 1"))
        assert app.pane.setting == "OLH"  # type: ignore[attr-defined]


RAPPOR = """
kind = "rappor"
bits = 128
hashes = 2
cohorts = 16
f = 0.5
"""


def test_beside_rappor_the_others_have_the_budget_of_one_report() -> None:
    draft = draft_of(SCENARIO.replace('\nkind = "olh"\nepsilon = 1.0\n', RAPPOR), Path())
    assert draft.problems == ()
    facts, cell = facts_of(draft, ["oue", "rappor"]), draft.cell
    noise = cell.protocol.noise  # type: ignore[union-attr]
    one, users = noise.epsilon_one(2), cell.users  # type: ignore[union-attr]
    assert facts.spreads["oue"] == f"±{frequency_std(OUE(64, one), users):.4f}"
    assert facts.spreads["rappor"] == f"±{count_std(noise, 2, users) / users:.4f}"


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_the_pane_and_theory_say_the_same(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """σ in the pane is that of `ldptui theory` at the scenario's d, n and ε."""
    written = SCENARIO.replace('"olh"', f'"{kind}"')
    facts = facts_of(draft_of(written, Path()), [kind])
    options = ["--epsilon", "1", "--items", "64", "--users", "1000000"]
    assert main(["theory", kind, *options, "--format", "json"]) == 0
    values = json.loads(capsys.readouterr().out)
    places = len(facts.spreads[kind].partition(".")[2])
    spread = values["frequency_std"]
    assert facts.spreads[kind] in (f"±{spread:.{places}f}", f"±{short(spread, 2)}")


def test_of_heavy_hitters_the_numbers_are_those_of_a_group() -> None:
    task = 'task = { kind = "heavy-hitters", k = 5, bits = 48, groups = 10 }\n'
    facts = facts_of(draft_of(task + SCENARIO, Path()), [*usual_kinds(), "laplace"])
    assert facts.spreads["olh"] == f"±{frequency_std(OLH(64, 1.0), 100_000):.4f}"
    assert facts.spreads["grr"] == facts.spreads["laplace"] == MISSING
    assert facts.recommended == {"olh"}


@pytest.mark.parametrize("kind", GROUPS["numbers"])
def test_of_numbers_the_spread_is_that_of_the_mean(kind: str) -> None:
    """In years, not in the numbers of [-1, 1] that the protocol knows."""
    draft = draft_of(MEAN.replace('"sr"', f'"{kind}"'), Path())
    facts, cell = facts_of(draft, [*usual_kinds(kind), "oue"]), draft.cell
    assert cell is not None
    expected = math.sqrt(expected_metrics(cell)["mean_squared_error_clean"])
    assert math.isclose(float(facts.spreads[kind][1:]), expected, rel_tol=0.05)
    assert facts.spreads.keys() == {*GROUPS["numbers"], "oue"}
    assert facts.recommended
    assert facts.spreads["oue"] == MISSING
