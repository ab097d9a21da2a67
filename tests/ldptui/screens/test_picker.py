"""The picker of a field: sentences, what cannot be had with its reason, folded groups, typing."""

from __future__ import annotations

from pathlib import Path

from support.chart_cases import QUICK
from support.waiting import seen, until
from support.workbench_app import own_home, workbench  # noqa: F401
from textual.pilot import Pilot

from ldptui.catalogue import folded_groups, kind_words, listed_kinds
from ldptui.messages import ChoicesAsked
from ldptui.screens.help_screen import HelpScreen
from ldptui.screens.workbench.attack_rows import edit_of_choice
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.session.draft import draft_of, edit_key, kind_of, sweep_of
from ldptui.widgets.field import ChoiceControl, Field
from ldptui.widgets.picker import Offer, PickerScreen, why_not


def field(screen: WorkbenchScreen, slot: str) -> Field:
    [found] = [each for each in screen.query(Field) if (each.id or each.key) == slot]
    return found


async def opened(pilot: Pilot[None]) -> PickerScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, PickerScreen))
    shown = pilot.app.screen
    assert isinstance(shown, PickerScreen)
    return shown


async def test_a_protocol_an_attack_and_a_swept_key_are_picked_by_typing() -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press("1", "enter")
        picker = await opened(pilot)
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))
        assert "protocol.kind" in seen(pilot.app)
        await pilot.press("escape")
        # Groups beyond the usual protocols are folded, and what is typed looks into them.
        folded = [row for row in picker.rows if isinstance(row, str)]
        assert folded == list(folded_groups().values())
        assert all(isinstance(row, str) or not row.group for row in picker.rows)
        assert kind_words("protocol", "olh").reason[:20] in seen(pilot.app)
        await pilot.press(*"kept", "enter")
        await until(pilot, lambda: screen.draft and kind_of(screen.draft, "protocol") != "oue")
        assert screen.draft is not None
        assert kind_words("protocol", kind_of(screen.draft, "protocol")).group == "kept"
        await pilot.press("enter", *"grr", "enter")
        await until(pilot, lambda: screen.draft and kind_of(screen.draft, "protocol") == "grr")
        # GRR's report has no number of ones: the attack on it is there, with the reason.
        control = field(screen, "attack.kind").control
        screen.action_pane(3, control)
        await pilot.press("enter", *"apa")
        picker = await opened(pilot)

        def row() -> Offer:
            first = picker.rows[0]
            assert isinstance(first, Offer)
            return first

        await until(pilot, lambda: row().value == "apa" and bool(row().refused))
        assert row().refused.startswith("against GRR, whose report is one item")
        assert "✗ against GRR" in seen(pilot.app)
        await pilot.press("enter")
        assert pilot.app.screen is picker  # what is refused is not taken
        await pilot.press("escape")
        await until(pilot, lambda: screen.is_current)
        assert isinstance(control, ChoiceControl)
        assert control.has_focus  # back where it was
        assert kind_of(screen.draft, "attack") == "mga"
        # Enter twice at once opens one list; tab leaves it for the next field.
        control.action_ask()
        control.action_ask()
        await opened(pilot)
        assert len(pilot.app.screen_stack) == 2
        await pilot.press("tab")
        await until(pilot, lambda: screen.is_current and not control.has_focus)
        assert screen.focused is not None


def test_the_reason_is_the_rule_that_the_draft_itself_would_have() -> None:
    draft = edit_key(draft_of(QUICK, Path()), "protocol.kind", "grr")
    kinds = [(kind, kind) for kind in listed_kinds("attack")]
    asked = ChoicesAsked(ChoiceControl([]), "attack.kind", "", kinds, "mga", lambda _: None)
    why = why_not(asked, draft)
    assert why is not None
    found = {kind: said for kind, _ in kinds if (said := why(kind))}
    assert {"apa", "mga-a"} <= found.keys()
    for kind, said in found.items():
        [problem] = edit_key(draft, "attack.kind", kind).problems
        assert problem.message.endswith(said.partition(" ")[2])
    assert "ria" not in found
    assert "plugin" not in found  # its name is typed later


def test_a_goal_takes_the_place_of_the_share_when_it_is_tried() -> None:
    draft = edit_key(draft_of(QUICK, Path()), "sweep.attack.share", None)
    asked = ChoicesAsked(ChoiceControl([]), "goal.metric", "", [], "", lambda _: None)
    why = why_not(asked, draft, edit_of_choice)
    assert why is not None
    assert why("targets_in_top_k") == ""
    assert "task.kind" in why("mean_shift")


def test_a_swept_key_in_the_place_of_another_is_tried_so() -> None:
    draft = edit_key(draft_of(QUICK, Path()), "sweep.attack.share", [0.1, 0.2])
    keys = [("attack.share", ""), ("protocol.kind", ""), ("population.users", "")]
    asked = ChoicesAsked(ChoiceControl([]), "sweep.key", "", keys, "attack.share", lambda _: None)
    why = why_not(asked, draft)
    assert why is not None
    assert [why(key) for key, _ in keys[1:]] == ["", ""]
    assert (
        why_not(
            ChoicesAsked(ChoiceControl([]), "simulate.path", "", [], "auto", lambda _: None), draft
        )
        is None
    )
    assert "attack.share" in sweep_of(draft)
