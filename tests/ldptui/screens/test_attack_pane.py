"""The attack pane: form and script are two views of one draft, whichever is edited."""

import asyncio

import pytest
from support.form_app import SCENARIO, SWEEP, FormApp
from support.kinds import OF_NUMBERS, report_law
from textual import events
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from ldptui.catalogue import listed_kinds
from ldptui.core.attacks import ATTACKS
from ldptui.screens.workbench.attack_pane import AttackPane
from ldptui.screens.workbench.attack_rows import facts as facts_of
from ldptui.screens.workbench.script import ScriptEditor
from ldptui.session.draft import edit_key, keys_of
from ldptui.session.draft.attack_script import shape_of
from ldptui.widgets.field import ChoiceControl, Field
from ldptui.widgets.form import FormLine

SIZES = [(80, 20), (44, 15), (140, 50)]
MANY = SCENARIO.replace("count = 3", "count = 30")


def editor(app: FormApp) -> ScriptEditor:
    return app.query_one(ScriptEditor)


async def open_script(app: FormApp, pilot: Pilot[None]) -> None:
    app.pane.view = "script"  # type: ignore[attr-defined]
    await pilot.pause()
    editor(app).focus()


def facts(app: FormApp) -> str:
    return facts_of(app.draft)


def shown(app: FormApp) -> list[str]:
    return [field.key for field in app.query(Field) if field.display]


def problems(app: FormApp) -> list[str]:
    listed = app.query_one("#problems", Static)
    return str(listed.content).splitlines() if listed.display else []


@pytest.mark.parametrize("size", SIZES)
async def test_the_form_shows_the_attack_and_nothing_is_cut(size: tuple[int, int]) -> None:
    app = FormApp(AttackPane, SCENARIO + SWEEP)
    async with app.run_test(size=size):
        assert app.shown("attack.kind") == "mga"
        assert app.shown("attack.share") == "0.05"
        assert app.shown("attack.targets.pick") == "random"
        assert app.shown("attack.targets.count") == "3"
        assert app.shown("attack.seeds") == "1000"
        assert app.shown("attack.scoring") == "anchor"
        assert app.field("attack.share").swept
        assert facts(app).startswith("m = 52 632 fakes   r = 3   f_T = 0.")
        assert editor(app).text == app.draft.text
        assert app.posted == []
        for field in app.query(Field):
            if field.display and isinstance(field.control, ChoiceControl):
                row = str(field.control.render())
                assert max(map(len, row.splitlines())) <= field.control.size.width


async def test_a_form_edit_is_seen_in_the_script() -> None:
    app = FormApp(AttackPane, SCENARIO + SWEEP)
    async with app.run_test(size=(80, 30)) as pilot:
        before = editor(app).cursor_location
        await app.type_into(pilot, "attack.share", "10%")
        assert "share = 0.1\n" in editor(app).text
        assert editor(app).text == app.draft.text
        assert editor(app).cursor_location == before
        assert not any(
            isinstance(message, str) for message in app.posted
        )  # the script posted nothing
        assert 'title = "a test"  # with a comment' in editor(app).text


async def test_the_cursor_of_the_script_stays_where_it_was() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(80, 30)):
        editor(app).move_cursor((11, 4))
        app.show(edit_key(app.draft, "seed", 123_456))
        assert editor(app).cursor_location == (11, 4)
        app.show(edit_key(app.draft, "trials", 5))  # a line above it more
        assert editor(app).document.get_line(editor(app).cursor_location[0]) == 'kind = "olh"'


async def test_typing_in_the_script_is_seen_in_the_form() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(80, 30)) as pilot:
        await open_script(app, pilot)
        editor(app).move_cursor((16, 12))  # at the end of: share = 0.05
        await pilot.press("backspace", "9")
        assert app.posted == [SCENARIO.replace("0.05", text) for text in ("0.0", "0.09")]
        assert app.shown("attack.share") == "0.09"
        assert editor(app).cursor_location == (16, 12)
        editor(app).move_cursor((15, 11))  # kind = "mga"
        await pilot.press("backspace", "backspace", "backspace", *"rpa")
        assert app.shown("attack.kind") == "rpa"
        assert "attack.seeds" not in shown(app)


async def test_text_that_does_not_parse_is_explained_and_the_last_one_keeps_running() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(80, 30)) as pilot:
        last = app.draft.scenario
        await open_script(app, pilot)
        editor(app).move_cursor((16, 8))
        await pilot.press("x")
        assert "share = x0.05" in editor(app).text
        assert app.draft.scenario is last
        assert len(problems(app)) == 1
        assert problems(app)[0].startswith("✗ line 17: the script is not valid TOML")
        assert app.shown("attack.share") == "0.05"
        assert app.field("attack.share").is_disabled
        await pilot.press("backspace")
        assert problems(app) == []
        assert not app.field("attack.share").is_disabled
        assert app.draft.scenario.document == last.document  # type: ignore[union-attr]


async def test_a_bad_value_in_the_script_is_under_the_field_as_well() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(80, 30)) as pilot:
        app.retype(SCENARIO.replace("0.05", "1.5").replace("1000000", "0"))
        await pilot.pause()
        assert app.said("attack.share") == "must be in [0, 1), got 1.5"
        assert problems(app) == ["✗ line 17: attack.share must be in [0, 1), got 1.5"]


async def test_the_script_shows_the_line_of_a_problem_beside_the_form() -> None:
    app = FormApp(AttackPane, "# remark\n" * 60 + SCENARIO)
    async with app.run_test(size=(120, 16)) as pilot:
        editor(app).scroll_to(y=0, animate=False)
        await pilot.pause()
        cursor = editor(app).cursor_location
        await app.type_into(pilot, "attack.share", "1.5")
        await pilot.press("enter", "s")
        await pilot.pause()
        line = app.draft.problems[0].line
        assert line is not None
        top = editor(app).scroll_offset.y
        assert top < line <= top + editor(app).size.height
        assert editor(app).cursor_location == cursor


async def test_kinds_bring_what_they_need() -> None:
    app = FormApp(AttackPane, SCENARIO.partition("\n[attack]")[0] + "\n")
    async with app.run_test(size=(44, 20)) as pilot:
        assert shown(app)[-1] == "attack.kind"
        assert facts(app) == ""
        app.field("attack.kind").control.focus()
        await pilot.press("right")
        assert app.draft.problems == ()
        assert shown(app)[-3:] == ["attack.share", "attack.targets.pick", "attack.targets.count"]
        assert app.shown("attack.share") == "0.05"
        steps = listed_kinds("attack").index("mga") - 1
        await pilot.press(*["right"] * steps)
        assert shown(app)[-2:] == ["attack.seeds", "attack.scoring"]
        assert "[attack]" in editor(app).text
        await pilot.press(*["left"] * (steps + 1))
        assert shown(app)[-1] == "attack.kind"
        assert app.draft.problems == ()


async def test_seeds_and_scoring_are_for_hashing_protocols() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(44, 20)):
        assert {"attack.seeds", "attack.scoring"} <= set(shown(app))
        app.show(edit_key(app.draft, "protocol.kind", "oue"))
        assert not {"attack.seeds", "attack.scoring"} & set(shown(app))
        app.show(edit_key(app.draft, "sweep.protocol.kind", ["oue", "olh"]))
        assert "attack.seeds" in shown(app)


async def test_targets_are_picked_or_listed() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(44, 20)) as pilot:
        picked = app.draft.cell.targets.tolist()
        app.field("attack.targets.pick").control.focus()
        await pilot.press("right", "right", "right")
        assert app.draft.document["attack"]["targets"]["items"] == app.draft.cell.targets.tolist()
        assert "attack.targets.count" not in shown(app)
        await app.type_into(pilot, "attack.targets.items", "4, 99")
        said = app.said("attack.targets.items")
        assert said == "item 99 does not exist when d = 64: ⏎ takes the 2 rarest"
        await app.type_into(pilot, "attack.targets.items", "4, 9")
        assert app.draft.cell.targets.tolist() == [4, 9]
        app.field("attack.targets.pick").control.focus()
        await pilot.press("left", "left", "left")
        assert app.draft.document["attack"]["targets"] == {"pick": "random", "count": 2}
        assert app.draft.cell.targets.tolist() == picked[:2]
        assert app.draft.problems == ()


async def test_views_switch_where_there_is_room_for_one() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(44, 15)) as pilot:
        app.pane.focus()
        assert not editor(app).parent.display
        await pilot.press("s")
        assert app.focused is editor(app)
        assert not app.query_one("#form").display
        assert "alt+s form" in str(app.pane.border_subtitle)
        await pilot.press("s")  # is typed, where the script opens
        assert app.posted == [SCENARIO.replace("[attack]", "s[attack]")]
        await pilot.press("backspace", "escape", "s")
        assert app.query_one("#form").display
        app.posted.clear()
        for _ in range(2):  # with the letter that most terminals give it, which is not typed
            app.post_message(events.Key("alt+s", "s"))
            await pilot.pause()
        assert app.query_one("#form").display
        assert not app.posted
        app.retype(SCENARIO.replace("0.05", "0.05 0"))
        await pilot.pause()
        assert "✗ line 17" in str(app.pane.border_subtitle)


async def test_esc_leaves_the_editor_and_tab_is_no_text() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(80, 30)) as pilot:
        await open_script(app, pilot)
        await pilot.press("tab")
        assert app.focused is not editor(app)
        assert app.posted == []
        await open_script(app, pilot)
        await pilot.press("escape")
        assert app.focused is app.pane
        await pilot.press("enter")
        assert app.focused is editor(app)


async def test_a_paste_of_a_megabyte_is_refused_in_a_sentence() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(80, 30)) as pilot:
        await open_script(app, pilot)
        app.post_message(events.Paste("a" * 1_000_000))
        await pilot.pause()
        assert editor(app).text == SCENARIO
    assert app.notes == [
        "A paste must be at most 100,000 characters, got 1,000,000: save it as a file and open that"
    ]


def test_the_form_offers_every_kind() -> None:
    assert set(listed_kinds("attack")) == set(ATTACKS)


@pytest.mark.every(3)
async def test_every_kind_can_be_chosen_and_has_its_fields() -> None:
    app = FormApp(AttackPane)
    before = app.draft
    async with app.run_test(size=(44, 30)):
        for kind in ATTACKS:
            protocol = "oue" if kind in ("apa", "solved") else "olh"  # free bits
            app.show(edit_key(edit_key(before, "protocol.kind", protocol), "attack.kind", kind))
            problems = {problem.key for problem in app.draft.problems}
            refused = {"attack.kind"} if report_law(kind) in OF_NUMBERS else set()  # of numbers
            assert problems <= {"attack.name", "simulate.path", *refused}, kind
            own = set(keys_of("attack", kind)) - {"targets", "cohort"}
            assert {f"attack.{name}" for name in own} <= set(shown(app)), kind


MIXED = SCENARIO.replace(
    'kind = "mga"\nshare',
    'mix = [ { kind = "mga", weight = 0.8 }, { kind = "ria", weight = 0.2 } ]  # two\nshare',
)


async def test_the_parts_of_a_mixture_are_fields() -> None:
    app = FormApp(AttackPane, MIXED)
    async with app.run_test(size=(44, 40)) as pilot:
        parts = [f"attack.mix.{at}.{name}" for at in range(2) for name in ("kind", "weight")]
        assert [key for key in shown(app) if ".mix." in key] == parts
        assert "attack.kind" not in shown(app)
        await app.type_into(pilot, parts[1], "0.5")
        await pilot.press("enter", "minus")
        [left] = app.draft.document["attack"]["mix"]
        assert left == {"kind": "ria", "weight": 0.2}
        await pilot.press("minus")  # a mixture of nothing is none
        assert app.draft.document["attack"]["mix"] == [left]


async def test_the_focus_waits_for_a_row_that_takes_more_than_a_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mount = Field.mount_composed_widgets

    async def mount_late(field: Field, widgets: list[Widget]) -> None:
        for _ in range(2):
            drawn = asyncio.Event()
            field.screen.call_after_refresh(drawn.set)
            await drawn.wait()
        await mount(field, widgets)

    app = FormApp(AttackPane)
    async with app.run_test(size=(44, 40)) as pilot:
        next(each for each in app.query(FormLine) if each.name == "more").focus()
        monkeypatch.setattr(Field, "mount_composed_widgets", mount_late)
        await pilot.press("space")
        await pilot.pause()
        assert app.focused is app.field("goal.metric").control


async def test_the_phases_of_a_campaign_are_fields() -> None:
    """A quiet phase, 2 % and 10 %: by the keys of every form, without the script."""
    app = FormApp(AttackPane)
    async with app.run_test(size=(44, 60)) as pilot:
        app.field("attack.kind").control.focus()
        for keys in (["P"], ["enter", *"2%", "enter"], ["P"], ["enter", *"10%", "enter"]):
            await pilot.press(*keys)
            await pilot.pause()
        assert app.focused_key == "attack.phase.2.share"
        phases = app.draft.document["attack"]["phase"]
        assert [phase["share"] for phase in phases] == [0.0, 0.02, 0.1]
        assert app.draft.problems == ()
        await pilot.press("J", "up", "right")
        assert app.notes[-1] == "phase 3 is the last"
        assert app.draft.document["attack"]["phase"][2]["rounds"] == 11
        assert app.shown("campaign.rounds") == "31"
        await app.type_into(pilot, "attack.phase.1.share", "1 -> 5%, exponential")
        await app.type_into(pilot, "attack.phase.1.share", "1% to 5%, exponential")
        ramp = {"from": 0.01, "to": 0.05, "shape": "exponential"}
        assert app.draft.document["attack"]["phase"][1]["share"] == ramp
        await pilot.press("enter", "right")  # a ramp has no next number
        assert app.shown("attack.phase.1.share") == "0.01 → 0.05, exponential"
        app.field("attack.phase.1.targets.pick").control.focus()
        await pilot.press("right")
        assert "attack.phase.1.targets.count" in shown(app)
        await pilot.press("m")
        assert app.field("attack.phase.1.rounds").label == "phase 2 (off): rounds"
        for left in (2, 1):
            await pilot.press("minus")
            await pilot.pause()
            assert len(app.draft.document["attack"]["phase"]) == left
        await pilot.press("minus")
        assert shape_of(app.draft.document["attack"]) == "one"
        assert app.draft.problems == ()


async def test_a_goal_takes_the_place_of_the_share() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(44, 40)) as pilot:
        next(each for each in app.query(FormLine) if each.name == "more").focus()
        await pilot.press("enter", "right")
        assert "share" not in app.draft.document["attack"]
        assert app.draft.document["goal"]["metric"] == "gain"
        assert app.draft.problems == ()
        assert "attack.share" not in shown(app)
        await app.type_into(pilot, "goal.at_least", "0.3")
        assert app.draft.document["goal"]["at_least"] == 0.3
        app.field("goal.metric").control.focus()
        await pilot.press("left")
        assert "goal" not in app.draft.document
        assert app.draft.document["attack"]["share"] > 0
        assert app.draft.problems == ()
