"""The defences pane: steps are added, ordered, removed and given their keys."""

from __future__ import annotations

import pytest
from support.form_app import SCENARIO, FormApp
from textual.widgets import Static

from ldptui.catalogue import kind_words
from ldptui.core.defences import DEFENCES
from ldptui.screens.workbench.defences import DefencesPane, described, steps_of
from ldptui.screens.workbench.row_list import ItemList
from ldptui.session.draft import keys_of
from ldptui.widgets.field import Choice, Field

STEPS = '\n[[defence]]\nkind = "base-cut"\nalpha = 0.1\n\n[[defence]]\nkind = "norm-sub"\n'


def kinds(app: FormApp) -> list[str]:
    return [step["kind"] for step in steps_of(app.draft)]


def shown(app: FormApp) -> list[str]:
    return [field.key for field in app.query(Field) if field.display]


async def test_without_a_defence_there_is_only_the_row_that_adds_one() -> None:
    app = FormApp(DefencesPane)
    async with app.run_test(size=(44, 14)) as pilot:
        assert shown(app) == []
        assert app.query_one(DefencesPane).setting == "none"
        app.query_one(ItemList).focus()
        await pilot.press("a")
        assert len(kinds(app)) == 1
        assert app.draft.problems == ()
        await pilot.press("minus")
        assert "defence" not in (app.draft.document or {})


async def test_steps_are_moved_and_duplicated() -> None:
    app = FormApp(DefencesPane, SCENARIO + STEPS)
    async with app.run_test(size=(44, 14)) as pilot:
        assert app.query_one(DefencesPane).setting == "base-cut, norm-sub"
        app.query_one(ItemList).focus()
        await pilot.press("J")
        assert kinds(app) == ["norm-sub", "base-cut"]
        await pilot.press("D")
        assert kinds(app) == ["norm-sub", "base-cut", "base-cut"]
        assert steps_of(app.draft)[2] == {"kind": "base-cut", "alpha": 0.1}
        await pilot.press("K", "K")
        assert kinds(app) == ["base-cut", "norm-sub", "base-cut"]
        assert app.draft.problems == ()


async def test_a_step_is_muted_and_acts_again() -> None:
    app = FormApp(DefencesPane, SCENARIO + STEPS)
    async with app.run_test(size=(44, 14)) as pilot:
        pane, steps = app.query_one(DefencesPane), app.query_one(ItemList)
        steps.focus()
        await pilot.press("m")
        assert steps_of(app.draft)[0] == {"kind": "base-cut", "alpha": 0.1, "muted": True}
        assert pane.setting == "(base-cut), norm-sub"
        assert [(row.text.split()[0], row.off) for row in steps.rows] == [
            ("off:", True),
            ("norm-sub", False),
        ]
        assert app.draft.cell is not None
        assert [step.kind for step in app.draft.cell.defences] == ["norm-sub"]
        assert shown(app) == ["defence.0.kind", "defence.0.alpha"]
        await pilot.press("m")
        assert steps_of(app.draft)[0] == {"kind": "base-cut", "alpha": 0.1}


async def test_a_step_has_the_fields_of_its_kind() -> None:
    app = FormApp(DefencesPane, SCENARIO + STEPS)
    async with app.run_test(size=(44, 20)) as pilot:
        assert shown(app) == ["defence.0.kind", "defence.0.alpha"]
        assert app.shown("defence.0.alpha") == "0.1"
        app.query_one(ItemList).focus()
        await pilot.press("down")
        assert shown(app) == ["defence.1.kind"]


@pytest.mark.every(7)
@pytest.mark.parametrize("kind", DEFENCES)
async def test_every_kind_is_shown_and_can_be_edited(kind: str) -> None:
    name = 'name = "trimmed"\n' if "name" in keys_of("defence", kind) else ""
    text = SCENARIO + f'\n[[defence]]\nkind = "{kind}"\n{name}'
    app = FormApp(DefencesPane, text)
    async with app.run_test(size=(44, 20)):
        assert shown(app) == [
            "defence.0.kind",
            *(f"defence.0.{key}" for key in keys_of("defence", kind) if key != "muted"),
        ]
        reason = app.query_one("#reason", Static)
        assert str(reason.content) == kind_words("defence", kind).reason
        for field in app.query(Field):
            if field.display and isinstance(field.control, Choice):
                row = str(field.control.render())
                assert max(map(len, row.splitlines())) <= field.control.size.width


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"kind": "ldprecover", "eta": 0.05}, "ldprecover  η = 0.05"),
        ({"kind": "norm-sub", "muted": True}, "off: norm-sub"),
        (
            {"kind": "plugin", "name": "floor", "options": {"least": 0.1}},
            "plugin floor  least = 0.1",
        ),
        ({"kind": "plugin"}, "plugin"),
        ({"kind": "plugin", "name": "floor", "options": 3}, "plugin floor"),
    ],
)
def test_a_row_says_what_a_step_is_given(step: dict[str, object], words: str) -> None:
    assert described(step) == words


async def test_a_wrong_value_is_refused_at_its_step() -> None:
    app = FormApp(DefencesPane, SCENARIO + STEPS.replace("0.1", "-1.0"))
    async with app.run_test(size=(44, 20)) as pilot:
        assert app.draft.problems
        app.query_one(ItemList).focus()
        await pilot.press("down")
        said = app.query_one(ItemList).rows[0].problem
        assert said == app.draft.problems[0].message


async def test_the_pane_shows_the_memory_of_a_filter() -> None:
    steps = '\n[[defence]]\nkind = "{}"\n'
    for kind, words in (("norm-sub", ""), ("fiad", "holds the reports of a trial, about")):
        app = FormApp(DefencesPane, SCENARIO + steps.format(kind))
        async with app.run_test(size=(60, 20)):
            said = str(app.query_one("#needs", Static).content)
            assert said.startswith(words)
            assert bool(said) == bool(words)


async def test_a_field_offers_the_words_of_its_key_and_shows_its_default() -> None:
    app = FormApp(DefencesPane, SCENARIO + '\n[[defence]]\nkind = "ldpguard"\n')
    async with app.run_test(size=(60, 20)):
        assert app.shown("defence.0.compared") == "2"
        field = next(field for field in app.query(Field) if field.key == "defence.0.assumed")
        assert isinstance(field.control, Choice)
