"""The steps of the server in the pane of the attack: added, ordered, muted, given their keys."""

from __future__ import annotations

import pytest
from support.form_app import SCENARIO, FormApp
from textual.widgets import Static

from ldptui.catalogue import kind_words
from ldptui.core.defences import DEFENCES
from ldptui.screens.workbench.attack_pane import AttackPane
from ldptui.screens.workbench.attack_rows import described_steps, steps_of
from ldptui.session.draft import keys_of
from ldptui.widgets.field import ChoiceControl, Field
from ldptui.widgets.form import FormLine

STEPS = '\n[[defence]]\nkind = "base-cut"\nalpha = 0.1\n\n[[defence]]\nkind = "norm-sub"\n'


def kinds(app: FormApp) -> list[str]:
    return [step["kind"] for step in steps_of(app.draft)]


def shown(app: FormApp) -> list[str]:
    keys = [field.key for field in app.query(Field) if field.display]
    return [key for key in keys if key.startswith("defence")]


def words(app: FormApp) -> str:
    return "\n".join(str(each.content) for each in app.query(Static) if each.display)


async def test_without_a_defence_there_is_only_the_row_that_adds_one() -> None:
    app = FormApp(AttackPane)
    async with app.run_test(size=(44, 40)) as pilot:
        assert shown(app) == []
        assert "+ a server's defence · M compares" in words(app)
        next(line for line in app.query(FormLine) if line.name == "defend").focus()
        await pilot.press("enter", *"base", "enter")
        await pilot.pause()
        assert steps_of(app.draft) == [{"kind": "base-cut"}]
        assert app.draft.problems == ()
        assert app.focused_key == "defence.0.kind"
        await pilot.press("minus")
        assert "defence" not in (app.draft.document or {})


async def test_steps_are_moved() -> None:
    app = FormApp(AttackPane, SCENARIO + STEPS)
    async with app.run_test(size=(44, 40)) as pilot:
        assert described_steps(app.draft) == "base-cut, norm-sub"
        app.field("defence.0.kind").control.focus()
        await pilot.press("J")
        assert kinds(app) == ["norm-sub", "base-cut"]
        await pilot.press("K")
        assert kinds(app) == ["base-cut", "norm-sub"]
        assert app.draft.problems == ()


async def test_a_step_is_muted_and_acts_again() -> None:
    app = FormApp(AttackPane, SCENARIO + STEPS)
    async with app.run_test(size=(44, 40)) as pilot:
        app.field("defence.0.kind").control.focus()
        await pilot.press("m")
        assert steps_of(app.draft)[0] == {"kind": "base-cut", "alpha": 0.1, "muted": True}
        assert described_steps(app.draft) == "(base-cut), norm-sub"
        assert app.field("defence.0.kind").label == "step 1 (off)"
        assert app.draft.cell is not None
        assert [step.kind for step in app.draft.cell.defences] == ["norm-sub"]
        await pilot.press("m")
        assert steps_of(app.draft)[0] == {"kind": "base-cut", "alpha": 0.1}


@pytest.mark.every(7)
@pytest.mark.parametrize("kind", DEFENCES)
async def test_every_kind_is_shown_and_can_be_edited(kind: str) -> None:
    name = 'name = "trimmed"\n' if "name" in keys_of("defence", kind) else ""
    text = SCENARIO + f'\n[[defence]]\nkind = "{kind}"\n{name}'
    app = FormApp(AttackPane, text)
    async with app.run_test(size=(44, 60)):
        assert shown(app) == [
            "defence.0.kind",
            *(f"defence.0.{key}" for key in keys_of("defence", kind) if key != "muted"),
        ]
        assert kind_words("defence", kind).reason in words(app)
        for field in app.query(Field):
            if field.display and isinstance(field.control, ChoiceControl):
                row = str(field.control.render())
                assert max(map(len, row.splitlines())) <= field.control.size.width


async def test_a_wrong_value_is_refused_at_its_step() -> None:
    app = FormApp(AttackPane, SCENARIO + STEPS.replace("0.1", "-1.0"))
    async with app.run_test(size=(44, 40)):
        assert app.said("defence.0.alpha") == app.draft.problems[0].message


async def test_a_field_offers_the_words_of_its_key_and_shows_its_default() -> None:
    app = FormApp(AttackPane, SCENARIO + '\n[[defence]]\nkind = "ldpguard"\n')
    async with app.run_test(size=(60, 40)):
        assert app.shown("defence.0.compared") == "2"
        assert isinstance(app.field("defence.0.assumed").control, ChoiceControl)
