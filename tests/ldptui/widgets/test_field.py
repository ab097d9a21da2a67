"""A form field: what it reads and writes, nudging, and that typing is never disturbed."""

from typing import Any, ClassVar

import pytest
from support.form_app import SCENARIO, FormApp
from support.styled_app import StyledApp
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from ldptui.catalogue import listed_kinds
from ldptui.screens.workbench.parameters_pane import ParametersPane
from ldptui.session.draft import edit_key
from ldptui.widgets.field import ChoiceControl, Field, ValueInput, nudge_value, read, write

USERS = "population.users"


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("1_000_000", "integer", 1_000_000),
        ("1e6", "integer", 1_000_000),
        ("1 000 000", "integer", 1_000_000),
        ("1\u202f000", "integer", 1000),
        ("2^20", "integer", 2**20),
        ("2.5e3", "integer", 2500),
        ("1,000,000", "integer", 1_000_000),
        ("10m", "integer", 10_000_000),
        ("2.5 Million", "integer", 2_500_000),
        ("1k, 1 bn", "list", [1000, 1_000_000_000]),
        ("0,005", "number", "0,005"),
        ("2.5", "integer", "2.5"),
        ("12x", "integer", "12x"),
        ("-3", "integer", -3),
        ("", "integer", ""),
        ("9" * 40, "integer", "9" * 40),
        ("0.05", "number", 0.05),
        ("5%", "number", 0.05),
        ("5.5 %", "number", 0.055),
        ("1e-3", "number", 0.001),
        (".5", "number", 0.5),
        ("1", "number", 1),
        ("1.", "number", 1.0),
        ("nan", "number", "nan"),
        ("0x10", "number", "0x10"),
        ("1e999", "number", "1e999"),
        ("1 2 3", "number", 123),
        ("data.csv", "text", "data.csv"),
        ("0, 5,7", "list", [0, 5, 7]),
        ('Rome, "New York, NY", "3"', "list", ["Rome", "New York, NY", "3"]),
        ("[1, 2]", "list", [1, 2]),
        ("", "list", []),
        ("1.5, 2", "list", [1.5, 2]),
        ("width = 4", "table", {"width": 4}),
        ('{ a = "x, y", b.c = [1, 2] }', "table", {"a": "x, y", "b": {"c": [1, 2]}}),
        ("width = ", "table", "width = "),
        ("", "table", {}),
    ],
)
def test_what_a_text_stands_for(text: str, type_: Any, value: Any) -> None:
    got = read(text, type_)
    assert got == value
    assert type(got) is type(value)


def test_exponents_look_as_in_sentences() -> None:
    assert [write(value) for value in (1e-6, 1.5e-12, 2.5, 1e20)] == [
        "1e-6",
        "1.5e-12",
        "2.5",
        "1e20",
    ]


def test_a_table_that_is_written_is_read_back() -> None:
    value = {"a": 0.0, "b c": {"d": [1, {"e": True}]}, "text": 'a "quoted" \\ one', "n": 1_000_000}
    assert write(value).startswith('a = 0.0, "b c" = { d = [1, { e = true }] }')
    assert read(write(value), "table") == value
    assert type(read(write(value), "table")["a"]) is float
    signs = {"😀": "x\x7f😀\n"}
    assert read(write(signs), "table") == signs


@pytest.mark.parametrize(
    "value", [0, 7, 1_000_000, 10**13, 0.05, 1e-7, 1.5, [0, 5], ["a, b", "3", "Rome"], [0.5, 2]]
)
def test_what_is_written_is_read_back(value: Any) -> None:
    type_ = "list" if isinstance(value, list) else "integer" if isinstance(value, int) else "number"
    assert read(write(value), type_) == value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "up", "big", "steps", "after"),
    [
        (1.0, True, False, ("0.1", "1"), 1.1),
        (1.1, True, False, ("0.1", "1"), 1.2),
        (1.05, False, False, ("0.1", "1"), 1.0),
        (1.0, True, True, ("0.1", "1"), 2.0),
        (0.3, False, False, ("0.1", "1"), 0.2),
        (0.3, True, True, "hundredths", 0.35),
        (7, True, False, ("1", "10"), 8),
        (7, True, True, ("1", "10"), 10),
        (1000, True, False, "1-2-5", 2000),
        (1000, False, False, "1-2-5", 500),
        (128, True, False, "1-2-5", 200),
        (128, False, False, "1-2-5", 100),
        (1000, True, True, "1-2-5", 10_000),
        (8, True, False, "doubling", 16),
        (9, True, True, "doubling", 32),
        (8, False, False, "doubling", 4),
        (9, False, False, "doubling", 8),
        (9, False, True, "doubling", 4),
        (1e-06, True, False, "decades", 1e-05),
        (1e-06, False, True, "decades", 1e-08),
        (1, False, False, "1-2-5", 1),
        (10**13, True, False, "1-2-5", 2 * 10**13),
    ],
)
def test_steps(value: float, up: bool, big: bool, steps: Any, after: float) -> None:
    assert nudge_value(value, up, big, steps) == after


async def test_every_keystroke_is_posted_once() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        await app.type_into(pilot, USERS, "5e4")
        values = [value for key, value in app.posted if key == USERS]
        assert values[-3:] == [5, "5e", 50_000]
        assert app.draft.document["population"]["users"] == 50_000
        assert app.shown(USERS) == "5e4"  # as typed, until the field is left
        count = len(app.posted)
        await pilot.press("tab")
        assert app.shown(USERS) == "50 000"
        assert len(app.posted) == count


async def test_a_bad_value_stays_and_is_explained_below() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        await app.type_into(pilot, "protocol.epsilon", "25")
        assert app.said("protocol.epsilon").startswith("must be in (0, 20], got 25")
        assert app.draft.document["protocol"]["epsilon"] == 25
        assert app.draft.scenario.document["protocol"]["epsilon"] == 2  # the last valid one
        await pilot.press("tab")
        assert app.shown("protocol.epsilon") == "25"
        await app.type_into(pilot, "protocol.epsilon", "abc")
        assert app.said("protocol.epsilon") == 'must be a number in (0, 20], got "abc"'
        await app.type_into(pilot, "protocol.epsilon", "3")
        assert app.said("protocol.epsilon") == ""
        assert app.draft.problems == ()


async def test_a_problem_known_before_the_row_is_drawn_stands_below_its_value() -> None:
    app, field = FormApp(ParametersPane), Field("protocol.epsilon", "privacy budget ε")
    async with app.run_test() as pilot:
        app.pane.mount(field)
        field.show(99, "must be in (0, 20], got 99")
        await pilot.pause()
        assert [type(child) for child in field.children] == [ValueInput, Static]


async def test_left_and_right_nudge_within_the_range() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        app.field("protocol.epsilon").control.focus()
        await pilot.press("right")
        assert app.draft.document["protocol"]["epsilon"] == 1.1
        await pilot.press("shift+right", "left")
        assert app.draft.document["protocol"]["epsilon"] == 1.9
        app.show(edit_key(app.draft, "protocol.epsilon", 19.5))
        await pilot.press("shift+right", "shift+right", "right")
        assert app.draft.document["protocol"]["epsilon"] == 20
        app.show(edit_key(app.draft, "protocol.epsilon", 0.15))
        await pilot.press("left", "left", "shift+left")  # 0 itself is not allowed
        assert app.draft.document["protocol"]["epsilon"] == 0.1
        await pilot.press("enter", "2", "left", "1", "enter")  # in an edit they move the cursor
        assert app.draft.document["protocol"]["epsilon"] == 12
        app.field(USERS).control.focus()
        await pilot.press("right")
        assert app.draft.document["population"]["users"] == 2_000_000
        assert app.shown(USERS) == "2 000 000"
        app.show(edit_key(app.draft, USERS, 2 * 10**12))
        await pilot.press("shift+right", "right")
        assert app.draft.document["population"]["users"] == 10**13
        assert "at most 10^13 together" in app.said(USERS)  # with the fakes it is too many


async def test_what_comes_from_elsewhere_is_shown_and_not_posted() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        app.show(edit_key(app.draft, USERS, 12))
        await pilot.pause()
        assert app.shown(USERS) == "12"
        app.field(USERS).control.focus()
        await pilot.pause()
        app.retype(app.draft.text.replace("users = 12", "users = 77"))
        await pilot.pause()
        assert app.shown(USERS) == "77"
        assert app.posted == []


async def test_an_older_echo_does_not_rewrite_what_is_typed_meanwhile() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        field = app.field(USERS)
        field.control.focus()
        await pilot.press("end")
        position = field.control.cursor_position
        field._sent = [10, 105]  # typed, and on the way
        with field.control.prevent(type(field.control).Changed):
            field.control.value = "105"
            field.control.cursor_position = 1
        field.show(10)
        assert (field.control.value, field.control.cursor_position) == ("105", 1)
        field.show(105)
        assert (field.control.value, field.control.cursor_position) == ("105", 1)
        field.show(3)
        assert field.control.value == "3"
        assert position > 1


async def test_emptying_an_optional_field_removes_its_key() -> None:
    app = FormApp(ParametersPane, SCENARIO.replace("seed = 7", "seed = 7\ntrials = 5"))
    async with app.run_test(size=(44, 24)) as pilot:
        assert app.shown("trials") == "5"
        await app.type_into(pilot, "trials", "")
        assert "trials" not in app.draft.document
        assert app.shown("trials") == ""
        await pilot.press("8")
        assert app.draft.document["trials"] == 8
        await app.type_into(pilot, "trials", "")
        await pilot.press("tab")
        assert app.shown("trials") == "20"  # the default


class Panes(FormApp):
    """A form in an app in which digits and letters have other meanings."""

    BINDINGS: ClassVar = [("4,q", "note", "Another pane")]
    noted = 0

    def action_note(self) -> None:
        self.noted += 1


async def test_a_field_is_edited_only_after_enter_or_a_click() -> None:
    app = Panes(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        field = app.field(USERS).control
        field.focus()
        await pilot.press("4", "q", "backspace", "delete")
        assert (app.noted, app.posted) == (2, [])
        await pilot.press("enter", "4", "2")  # its value is selected
        assert app.draft.document["population"]["users"] == 42
        await pilot.press("enter", "4")
        assert app.draft.document["population"]["users"] == 42
        assert (app.noted, field.has_focus, field.is_edited) == (3, True, False)
        await pilot.click(type(field))
        assert app.focused is not None
        assert app.focused.is_edited  # type: ignore[attr-defined]
        await pilot.press("escape", "4")
        assert app.noted == 4


async def test_a_value_without_room_is_cut_with_a_sign() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        field = app.field(USERS).control
        room = field.scrollable_content_region.width

        def seen() -> str:
            return field.render_line(0).text[:room].rstrip()

        app.retype(SCENARIO.replace("1_000_000", "99999999999999"))
        await pilot.pause()
        whole = "99 999 999 999 999"
        assert field.value.replace("\u202f", " ") == whole
        cut = f"{field.value[: room - 1]}…"
        assert room < len(whole)
        assert seen() == cut
        field.focus()
        await pilot.press("enter")
        assert seen() == f"…{field.value[2 - room :]}"  # the cursor is behind the end
        await pilot.press("home")
        assert seen() == cut
        await pilot.press("end", "escape")
        assert seen() == cut
        app.retype(SCENARIO.replace("1_000_000", "1" * 3))
        await pilot.pause()
        assert seen() == "111 ⏎"


async def test_rows_are_walked_by_up_and_down_and_a_value_changed_by_left_and_right() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        app.field("population.kind").control.focus()
        await pilot.press("down")
        assert app.focused_key == "population.items"
        assert app.posted == []
        await pilot.press("j", "k", "k")
        assert app.focused_key == "population.kind"
        await pilot.press("right", "up")
        assert app.draft.document["population"]["kind"] == listed_kinds("population")[1]
        assert app.focused_key == "population.kind"  # there is no row above


async def test_esc_leaves_the_field_for_its_pane() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        app.field(USERS).control.focus()
        await pilot.press("escape")
        assert app.focused is app.pane
        await pilot.press("enter")
        assert app.focused is app.field(USERS).control


async def test_the_options_of_code_are_typed_as_a_table() -> None:
    plugin = (
        'kind = "plugin"\nname = "mine"\nepsilon = 1.0\noptions = { width = 3, deep = { x = 1 } }'
    )
    app = FormApp(ParametersPane, SCENARIO.replace('kind = "olh"\nepsilon = 1.0', plugin))
    async with app.run_test(size=(44, 40)) as pilot:
        key = "protocol.options"
        assert app.shown(key) == "width = 3, deep = { x = 1 }"
        control = app.field(key).control
        assert isinstance(control, ValueInput)
        control.focus()
        control.value = "width = "
        await pilot.pause()
        assert 'must be a table, got "width = "' in " ".join(p.message for p in app.draft.problems)
        control.value = "width = 30, way = 'up'"
        await pilot.pause()
        assert app.draft.problems == ()
        assert app.draft.document is not None
        assert app.draft.document["protocol"]["options"] == {"width": 30, "way": "up"}
        assert "options = {width = 30" in app.draft.text
        control.value = ""
        await pilot.pause()
        assert "options" not in app.draft.document["protocol"]


async def test_a_choice_spells_its_signs_in_ascii() -> None:
    class Accuracy(StyledApp):
        charset = "ascii"

        def compose(self) -> ComposeResult:
            yield ChoiceControl((("epsilon", "from ε"), ("accuracy", "from a")))

    app = Accuracy()
    async with app.run_test(size=(40, 3)):
        app.query_one(ChoiceControl).value = "epsilon"
        assert str(app.query_one(ChoiceControl).render()) == "‹ from epsilon ›"


async def test_a_click_on_an_arrow_of_a_choice_chooses_and_one_between_them_lists_all() -> None:
    class Bare(StyledApp):
        lists = 0

        def on_choice_control_list_request(self) -> None:
            self.lists += 1

        def compose(self) -> ComposeResult:
            yield ChoiceControl((("a", "one"), ("b", "two"), ("c", "three")))

    app = Bare()
    async with app.run_test(size=(20, 1)) as pilot:
        choice = app.query_one(ChoiceControl)
        choice.value = "b"
        await pilot.click(ChoiceControl, offset=(0, 0))
        assert choice.value == "a"
        await pilot.click(ChoiceControl, offset=(6, 0))
        assert choice.value == "b"
        assert app.lists == 0
        for x in (1, 3, 5):
            await pilot.click(ChoiceControl, offset=(x, 0))
        assert (choice.value, app.lists) == ("b", 3)


@pytest.mark.parametrize("type_", ["number", "boolean"])
async def test_a_field_that_is_hidden_gives_its_focus_to_the_pane(type_: Any) -> None:
    class Pane(Vertical, can_focus=True):
        pass

    class Bare(StyledApp):
        def compose(self) -> ComposeResult:
            options = [(True, "True"), (False, "False")] if type_ == "boolean" else None
            yield Pane(Field("a", "a", type_=type_, options=options))

    app = Bare()
    async with app.run_test(size=(40, 6)) as pilot:
        control = app.query_one(Field).control
        control.focus()
        await pilot.pause()
        assert app.focused is control
        app.query_one(Field).display = False
        await pilot.pause()
        assert app.focused is app.query_one(Pane)
