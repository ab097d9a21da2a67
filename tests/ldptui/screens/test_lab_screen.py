"""The Lab screen with an engine that answers in place: tabs, fields, what is kept, what is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.fake_engine import LabEngine
from support.lab_screen import DRAFT, Shell, answers_of, edit, field, go, lab, problem, show_table
from support.waiting import seen, until
from support.workbench_app import own_home  # noqa: F401
from textual.widgets import Static

from ldptui.messages import KeyEdited
from ldptui.questions.topics import GROUPS, TOPICS
from ldptui.screens.help_screen import HelpScreen
from ldptui.screens.lab.lab_form import LabForm
from ldptui.session import draft as drafts
from ldptui.widgets.field import Field
from ldptui.widgets.key_hints import KeyHints
from ldptui.widgets.number_table import NumberTable
from ldptui.widgets.plot import ChartView
from ldptui.widgets.status import StatusLine

SIZES = [(80, 24), (120, 40), (200, 60)]
NAMES = tuple(TOPICS)
PARTS = ("lab-chart-box", "lab-second", "lab-table-box", "lab-words")
"""The second chart stands beside the first where the terminal is wide."""


@pytest.mark.long
@pytest.mark.every(3)
@pytest.mark.parametrize("size", SIZES)
async def test_every_tab_shows_its_form_and_its_answer(size: tuple[int, int]) -> None:
    async with lab(size) as (screen, _, pilot):
        for tab in TOPICS:
            await go(screen, pilot, tab)
            text = seen(screen.app)
            assert TOPICS[tab].question in text
            assert not screen.query_one(StatusLine).problem
            form = screen.query_one(f"#form-{tab}")
            assert form.display
            # Every field that is shown is on the screen, or a scroll away.
            assert form.size.height >= 2
            verdict = screen.query_one("#lab-verdict")
            chart = screen.query_one("#lab-chart", ChartView)
            assert chart.is_on_screen
            assert chart.size.height >= 7, (tab, size)
            assert len(text.split("\n")) == size[1]
            said = " ".join(str(verdict.render()).split())
            assert said.removeprefix("Example data: ") == answers_of(screen)[tab].words[0]
            assert verdict.region.bottom <= form.region.y


@pytest.mark.every(3)
@pytest.mark.parametrize("size", SIZES)
async def test_the_view_goes_through_all_there_is(size: tuple[int, int]) -> None:
    async with lab(size) as (screen, _, pilot):
        await go(screen, pilot, "plan")
        found = set()
        screen.set_focus(None)
        for _ in range(4):
            for name in PARTS:
                widget = screen.query_one(f"#{name}")
                if widget.is_on_screen and widget.size.height > 0:
                    found.add(name)
            await pilot.press("v")
        assert found == {*PARTS} - ({"lab-second"} if size[0] < 150 else set())


@pytest.mark.long
async def test_the_form_starts_with_the_scenario_and_keeps_what_is_typed() -> None:
    async with lab() as (screen, engine, pilot):
        asked = engine.questions[-1]
        assert asked.tab == "accuracy"
        assert asked.values["epsilon"] == drafts.value_of(DRAFT, "protocol.epsilon")
        assert asked.document is not None
        assert set(asked.document) == {"format", "population", "protocol"}  # nobody attacks
        await edit(screen, pilot, "alpha", 0.2)
        assert engine.questions[-1].values["alpha"] == 0.2
        # Another scenario: what was typed stays, the rest follows.
        screen.follow(drafts.edit_key(DRAFT, "protocol.epsilon", 3.0))
        await until(pilot, lambda: engine.questions[-1].values["epsilon"] == 3.0)
        assert engine.questions[-1].values["alpha"] == 0.2
        await pilot.pause()
        await go(screen, pilot, "check")
        await go(screen, pilot, "accuracy")
        assert field(screen, "alpha").control.value == "0.2"


async def test_a_bad_value_has_its_sentence_below_it() -> None:
    async with lab() as (screen, engine, pilot):
        before = answers_of(screen)["accuracy"]
        await edit(screen, pilot, "delta", 0)
        assert "must be greater than 0 for the stability mechanism" in problem(screen, "delta")
        assert "stability mechanism" in screen.query_one(StatusLine).problem
        assert answers_of(screen)["accuracy"] is before
        await edit(screen, pilot, "delta", "often")
        assert problem(screen, "delta") == 'must be a number in [0, 1), got "often"'
        assert screen.values["delta"] == "often"
        await edit(screen, pilot, "delta", 1e-5)
        assert problem(screen, "delta") == ""
        assert screen.query_one(StatusLine).problem == ""
        assert engine.questions[-1].values["delta"] == 1e-5


async def test_typing_in_a_field_asks_once_it_rests() -> None:
    async with lab() as (screen, engine, pilot):
        field(screen, "epsilon").control.focus()
        await pilot.press("enter", "2", ".", "5", "enter")
        await until(pilot, lambda: engine.questions[-1].values["epsilon"] == 2.5)
        await pilot.press("right")
        await until(pilot, lambda: engine.questions[-1].values["epsilon"] == 2.6)
        field(screen, "delta").control.focus()
        await pilot.press("right")
        await until(pilot, lambda: engine.questions[-1].values["delta"] == 1e-5)


async def test_only_fields_with_a_meaning_are_shown() -> None:
    async with lab() as (screen, _, pilot):
        await go(screen, pilot, "disclose")
        assert field(screen, "quasi").display
        assert "relation" not in {each.key.rpartition(".")[2] for each in screen.query(Field)}
        await edit(screen, pilot, "what", "relation")
        assert not field(screen, "quasi").display
        assert field(screen, "relation").display


class Held(LabEngine):
    def __init__(self, *arguments: object, **more: object) -> None:
        super().__init__(*arguments, **more)  # type: ignore[arg-type]
        self.held = True


async def test_the_screen_shows_the_work_and_esc_leaves_and_stops_it() -> None:
    async with lab(engine=Held) as (screen, engine, pilot):
        engine.say("drawing laplace histograms")
        await pilot.pause()
        status = screen.query_one(StatusLine).render().plain
        assert "Accuracy: drawing laplace histograms" in status
        field(screen, "epsilon").control.focus()
        await pilot.press("escape")  # leaves the field
        assert engine.cancelled == []
        await pilot.press("escape")
        assert engine.cancelled == [engine.questions[-1].key]
        assert not screen.is_current
        asked = len(engine.questions)
        screen.follow(DRAFT)
        screen.app.push_screen("lab")
        await until(pilot, lambda: len(engine.questions) > asked)


async def test_where_an_answer_is_missing_it_says_why() -> None:
    async with lab(engine=Held) as (screen, engine, pilot):

        def missing() -> str:
            return str(screen._body.chart.view.empty)

        assert "is being computed" in missing()
        await edit(screen, pilot, "alpha", 2.0)
        await until(pilot, lambda: engine.questions[-1].values["alpha"] == 2.0)
        assert "is being computed" in missing()
        engine.answer()
        await until(pilot, lambda: screen._question is None)
        assert screen.page.problem
        assert "the form says what is wrong" in missing()
        assert problem(screen, "alpha")
        await edit(screen, pilot, "alpha", 0.2)  # nothing is said any more while it is computed
        await until(pilot, lambda: screen._question is not None)
        assert problem(screen, "alpha") == ""
        assert screen.query_one(StatusLine).problem == ""


async def test_an_answer_to_an_older_question_is_not_shown() -> None:
    async with lab(engine=Held) as (screen, engine, pilot):
        screen.post_message(KeyEdited("lab.accuracy.alpha", 0.5))
        await until(pilot, lambda: len(engine.questions) == 2)
        newest = engine.questions.pop()
        engine.answer()
        await pilot.pause()
        assert "accuracy" not in answers_of(screen)
        engine.questions.append(newest)
        engine.answer()
        await until(pilot, lambda: "accuracy" in answers_of(screen))
        assert "α = 0.5" in answers_of(screen)["accuracy"].table.title


async def test_a_tab_left_before_its_answer_asks_again() -> None:
    async with lab(engine=Held) as (screen, engine, pilot):
        for tab in ("check", "accuracy"):
            screen.tab = tab
            await until(pilot, lambda tab=tab: engine.questions[-1].tab == tab)
        assert [question.tab for question in engine.questions] == ["accuracy", "check", "accuracy"]


@pytest.mark.long
async def test_what_is_being_written_is_not_interrupted() -> None:
    async with lab(engine=Held) as (screen, engine, pilot):
        engine.answer()
        await until(pilot, lambda: screen._question is None)
        screen.tab = "synthetic"
        await until(pilot, lambda: engine.questions[-1].tab == "synthetic")
        engine.answer()
        await until(pilot, lambda: screen._question is None)
        screen._write(Path("nowhere.csv"))
        await until(pilot, lambda: engine.questions[-1].values.get("path"))
        count = len(engine.questions)
        screen.tab = "check"
        await pilot.pause(0.2)
        assert len(engine.questions) == count
        engine.cancel()
        await until(pilot, lambda: engine.questions[-1].tab == "check")


@pytest.mark.every(2)
@pytest.mark.parametrize("size", [(20, 6), (80, 24)])
async def test_a_tab_needs_no_form_that_is_mounted(size: tuple[int, int]) -> None:
    """Messages between the choice of a tab and the mounting of its form wait for the form."""
    async with lab(size) as (screen, _, pilot):
        for tab in NAMES:  # the last is answered soon
            screen.tab = tab
            name = screen.page.topic.blanks[-1].name
            screen.on_key_edited(KeyEdited(f"lab.{tab}.{name}", screen.values[name]))
            screen.follow(DRAFT)
            screen.query_one(f"#form-{tab}", LabForm).offer({name: ("a", "b")})
        await until(pilot, lambda: tab in answers_of(screen) and screen._question is None)
        assert [form.topic.name for form in screen.query(LabForm) if form.display] == [tab]


async def test_a_tab_chosen_before_the_engine_is_there() -> None:
    class Late(LabEngine):
        async def start(self) -> None:
            app.lab.tab = "sensitivity"
            app.lab.follow(DRAFT)
            app.lab.action_tab(1)
            await super().start()

    app = Shell(Late)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "disclose" in answers_of(app.lab))
        assert [form.topic.name for form in app.lab.query(LabForm)] == ["disclose"]


async def test_the_status_line_names_the_keys_of_what_has_the_focus() -> None:
    async with lab() as (screen, _, pilot):
        hints, footer = [], screen.query_one(KeyHints)
        for keys in ((), ("down",), ("down", "enter", "left"), ("escape", "escape")):
            await pilot.press(*keys)
            hints.append(screen.query_one(StatusLine).render().plain)
            types = "enter" in keys
            await until(pilot, lambda t=types: ("1…9 Questions" in footer.render().plain) != t)
        outside = "· ↓ into the form · ← → pages"
        row = "· ↑ ↓ rows · ← → change the value · esc leaves the field"
        typing = "· ↑ ↓ rows · esc ends the edit · tab goes on typing in the next field"
        assert hints == [outside, row, typing, outside]
        assert screen.tab == "accuracy"


async def test_tabs_by_key_and_by_click() -> None:
    async with lab() as (screen, engine, pilot):
        engine.held = True  # whoever passes by a tab needs no answer of it
        # On arrival no field has the focus: digits are questions, and no letters of a value.
        before = dict(screen.values)
        for digit, group in enumerate(GROUPS, 1):
            await pilot.press(str(digit))
            assert screen.page.topic.group == group
        # Again: the next question of the tab; by its name as well.
        views = []
        for _ in range(4):
            await pilot.press("4")
            views.append(screen.tab)
        assert views == ["estimate", "screen", "conclude", "estimate"]
        await pilot.pause()
        await pilot.click("#lab-tabs", offset=(len(" Estimates  Scr"), 1))
        assert screen.tab == "screen"
        await pilot.click("#lab-tabs", offset=(len(" 1 My deployment  2 P"), 0))
        assert screen.tab == "plan"
        # Also out of a text field whose text is longer than the field, which would scroll.
        screen.tab = "sensitivity"
        await pilot.pause()
        field(screen, "file").control.focus()
        await pilot.press("ctrl+pagedown")
        assert screen.tab == "disclose"
        await pilot.press("ctrl+pageup", "alt+1")
        assert screen.tab == NAMES[0] == "deployment"
        await pilot.press("cent_sign")  # alt+4 in most terminals
        assert screen.page.topic.group == "My reports"
        screen.tab = "accuracy"
        assert dict(screen.values) == before


@pytest.mark.parametrize(
    ("width", "bar"),
    [
        (80, "1 My deployment  2 Plan  3 Design  4 My reports  5 Check  6 Guess  7  8  9"),
        (120, "4 My reports  5 Check  6 Guess  7 Trust  8 Curator  9 Teaching"),
        (150, "8 Curator  9 Teaching: ledger, sensitivity, disclose, synthetic"),
    ],
)
async def test_nine_tabs_stand_in_one_row(width: int, bar: str) -> None:
    async with lab((width, 40)) as (screen, _, pilot):
        await pilot.press("4")
        assert seen(pilot.app).split("\n")[1].strip().endswith(bar)
        assert screen.query_one("#lab-tabs").size.height == 2  # its questions stand below
        await pilot.press("9")
        assert "  9 Teaching" in seen(pilot.app)
        await pilot.press("2")
        assert screen.query_one("#lab-tabs").size.height == 1


async def test_down_goes_down_a_column_of_fields_and_then_to_the_next() -> None:
    async with lab((80, 24)) as (screen, _, pilot):
        places = []
        for _ in screen.query("#form-accuracy Field"):
            await pilot.press("j")
            [place] = [each.region.offset for each in screen.query(Field) if each.focused]
            places.append(place)
        assert places == sorted(places)
        assert len({place.x for place in places}) > 1


async def test_example_data_are_called_so(tmp_path: Path) -> None:
    async with lab() as (screen, _, pilot):
        await go(screen, pilot, "estimate")
        text = seen(pilot.app)
        assert "privacy lab │ example data: reports.csv" in text
        assert "Example data: Item 12 has the" in text
        (tmp_path / "reports.csv").touch()  # one's own, which nobody has typed
        screen.follow(replace(DRAFT, folder=tmp_path))
        await pilot.pause()
        assert "privacy lab │ example data: reports.csv" in seen(pilot.app)


async def test_help_is_that_of_the_field_and_of_the_tab() -> None:
    async with lab() as (screen, _, pilot):
        field(screen, "epsilon").control.focus()
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        text = "\n".join(str(static.visual) for static in pilot.app.screen.query(Static))
        for words in ("Laplace mechanism", "Stability-based histogram", "threshold", "Dwork"):
            assert words in text


async def test_copy_takes_the_chart_or_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(
        "ldptui.screens.lab.lab_screen.copy", lambda _, text: copied.append(text) or "copied"
    )
    async with lab() as (screen, _, pilot):
        screen.query_one("#lab-chart").focus()
        await pilot.press("y")
        screen.query_one(NumberTable).focus()
        await pilot.press("y")
        assert "Users that a count is off by at most" in copied[0]
        assert copied[1].startswith("quantity\tvalue")


async def test_words_in_ascii_have_the_width_that_they_need() -> None:
    async with lab((120, 40), charset="ascii") as (screen, _, pilot):
        await show_table(screen, pilot)
        text = seen(pilot.app)
        assert "(2/epsilon) ln(2/(alpha delta)) + 1" in text
