"""What the lab shows of an answer that is not that of what stands in the form."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace
from support.fake_engine import LabEngine
from support.lab_screen import DRAFT, answers_of, edit, field, go, lab
from support.waiting import until
from textual.pilot import Pilot

from ldptui.messages import KeyEdited, QuestionReply
from ldptui.questions.sheet import encode_answer
from ldptui.questions.topics import TOPICS
from ldptui.screens.lab.lab_screen import LabScreen
from ldptui.screens.lab.page import Page
from ldptui.session.snapshot import Reply

BEFORE = "STALE: other values · "


def verdict(screen: LabScreen) -> str:
    return " ".join(str(screen.query_one("#lab-verdict").render()).split())


async def change(screen: LabScreen, pilot: Pilot[None], name: str, value: object) -> None:
    """Change a value of the form, which is not answered yet."""
    screen.post_message(KeyEdited(f"lab.{screen.tab}.{name}", value))
    await until(pilot, lambda: screen.values[name] == value)


async def test_a_wrong_field_leaves_the_last_answer_marked() -> None:
    async with lab((80, 24)) as (screen, engine, pilot):
        field(screen, "epsilon").control.focus()
        await pilot.press("enter", "1", "0", "x", "tab")
        await until(pilot, lambda: engine.questions[-1].values["epsilon"] == "10x")
        await until(pilot, lambda: screen._question is None)
        before = answers_of(screen)["accuracy"].words[0]  # of the prefix that was a number
        assert verdict(screen) == BEFORE + before
        assert screen._body.chart.view.chart is not None
        assert not screen.check_action("take", ())
        screen.tab = "check"  # and so after another tab
        await go(screen, pilot, "accuracy")
        assert verdict(screen) == BEFORE + before
        await edit(screen, pilot, "epsilon", 10)
        assert verdict(screen) == answers_of(screen)["accuracy"].words[0]


TABLE: Final = "sex,age,pay\nf,a,30\nm,b,40\n"
GUESSES: Final = {
    "disclose": {
        "quasi": "sex, age",
        "sensitive": "pay",
        "relation": "sex, age",
        "what": "table",
    },
    "sensitivity": {"column": "pay"},
    "infer": {"columns": "sex, age, pay"},
    "guess": {"column": "sex"},
}


@pytest.mark.parametrize("tab", GUESSES)
def test_the_columns_are_those_of_ones_own_table(tab: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    page, draft = Page(TOPICS[tab]), replace(DRAFT, folder=tmp_path)
    before = page.values(draft)
    [name] = [each.name for each in page.topic.blanks if each.argument.role == "table"]
    page.edit(draft, name, "nowhere.csv")
    assert page.values(draft) == before | {name: "nowhere.csv"}
    page.edit(draft, name, "people.csv")
    assert page.typed == {name: "people.csv"} | GUESSES[tab]


def test_what_identifies_everybody_by_itself_is_no_quasi_identifier(tmp_path: Path) -> None:
    rows = [f"p{at},{'fm'[at % 2]},{at % 3},{at % 5}" for at in range(6)]
    (tmp_path / "people.csv").write_text("\n".join(["person,sex,age,ill", *rows]), encoding="utf-8")
    page, draft = Page(TOPICS["disclose"]), replace(DRAFT, folder=tmp_path)
    assert page.edit(draft, "file", "people.csv") == ""
    assert page.typed["quasi"] == "sex, age"
    (tmp_path / "bare.csv").write_text("\n".join(["f,0,3", "m,1,3", "f,1,5"]), encoding="utf-8")
    words = "the first line of bare.csv looks like data: it should name the columns"
    assert page.edit(draft, "file", "bare.csv") == words


async def test_ones_own_relation_is_answered_as_such(tmp_path: Path) -> None:
    path = tmp_path / "likes.csv"
    path.write_text("who,likes\na,tea\na,rum\nb,tea\n", encoding="utf-8")
    async with lab() as (screen, _, pilot):
        await go(screen, pilot, "disclose")
        assert verdict(screen).startswith("Example data: ")
        await edit(screen, pilot, "file", str(path))
        assert "whoever is seen with rum also has tea" in verdict(screen)


async def test_an_answer_is_marked_until_that_of_the_form_is_there() -> None:
    async with lab() as (screen, engine, pilot):
        first = answers_of(screen)["accuracy"]
        assert verdict(screen) == first.words[0]
        engine.held = True
        await change(screen, pilot, "epsilon", 2.0)
        assert verdict(screen) == BEFORE + first.words[0]
        await change(screen, pilot, "epsilon", first_value(engine, "epsilon"))
        assert verdict(screen) == first.words[0]  # the values are again those of the answer
        await change(screen, pilot, "epsilon", 2.0)
        await until(pilot, lambda: engine.questions[-1].values["epsilon"] == 2.0)
        assert verdict(screen) == BEFORE + first.words[0]
        await edit(screen, pilot, "epsilon", 3.0)
        engine.answer()
        await until(pilot, lambda: screen._question is None)
        assert answers_of(screen)["accuracy"].words[0] != first.words[0]
        assert verdict(screen) == answers_of(screen)["accuracy"].words[0]


def first_value(engine: LabEngine, name: str) -> object:
    return engine.questions[0].values[name]


async def test_an_answer_so_far_is_that_of_the_form() -> None:
    async with lab() as (screen, engine, pilot):
        first = answers_of(screen)["accuracy"]
        engine.held = True
        await edit(screen, pilot, "epsilon", 2.0)
        assert verdict(screen).startswith(BEFORE)
        so_far = encode_answer(first)
        so_far["verdict"] = ["Best so far."]
        key = engine.questions[-1].key
        screen.post_message(QuestionReply(Reply(key, "running", answer=so_far)))
        await until(pilot, lambda: verdict(screen) == "Best so far.")
        await change(screen, pilot, "epsilon", 3.0)
        assert verdict(screen) == f"{BEFORE}Best so far."


async def test_what_an_old_answer_proposes_is_not_put_into_the_scenario() -> None:
    async with lab() as (screen, engine, pilot):
        await go(screen, pilot, "design")
        answer = answers_of(screen)["design"]
        assert answer.edits or answer.choices
        engine.held = True
        await change(screen, pilot, "epsilon", 2.5)
        screen.action_take()
        assert screen._status.note == ""
        engine.held = False
        await edit(screen, pilot, "epsilon", 2.6)
        screen.action_take()
        assert screen._status.note
