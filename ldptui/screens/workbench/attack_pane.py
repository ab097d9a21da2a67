"""Pane 3: the attack and what the server does about it as a form, and the scenario as text."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from ldptui.core.base.errors import LdpError

from ...catalogue import listed_kinds
from ...messages import ChoicesAsked, KeyEdited, KeysProposed, StatusNote
from ...session.attack_code import editor_command, find_attack_code, syntax_fault
from ...session.draft import attack_script as script
from ...session.draft import edit_key, sweep_of, value_of
from ...session.draft.attack_script import add_phase, without_phases
from ...widgets.field import Field
from ...widgets.form import Form, FormLine, FormPane, FormRow
from ...widgets.words import put_or_hide
from .attack_rows import (
    NEW_STEP,
    PHASES,
    TABLE,
    attack_of,
    attack_rows,
    changed_list,
    defence_rows,
    described_steps,
    edit_of_choice,
    place_of,
    steps_of,
)
from .script import ScriptEditor, sentence

if TYPE_CHECKING:
    from ...session.draft import Draft

PLACES: Final = {TABLE: "step", PHASES: "phase"}
"""The words for a table of a list; "part" for one of a mixture."""


class AttackPane(FormPane):
    """The pane of attack, defences and goal: a form, or the script of the scenario; `s` switches
    between them.

    Posts KeyEdited with keys of the scenario, and StatusNote about removed defences.
    """

    BORDER_TITLE = "3 Attack"
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before a text with the focus, which would take the letter of it.
        Binding(
            "alt+s", "switch", "Form/script", show=False, priority=True, id="attack.switch-anywhere"
        ),
        Binding("enter,down,j", "enter", "Edit", show=False, id="attack.edit"),
        Binding("e", "write_code", "Write it in Python", id="attack.write"),
        Binding("a,plus", "add_step", "Add a step", id="step.add"),
        Binding("minus,delete,backspace", "step('remove')", "Remove", id="step.remove"),
        Binding("P", "phase", "Add a phase", id="attack.phase"),
        Binding("s", "switch", "Form/script", id="attack.switch"),
        Binding("shift+up,K", "step('up')", "Move up", show=False, id="step.up"),
        Binding("shift+down,J", "step('down')", "Move down", show=False, id="step.down"),
        Binding("m", "step('mute')", "Mute", id="step.mute"),
    ]

    view: var[str] = var("form")
    _said = ""
    _is_open = False  # what few change is shown

    def compose(self) -> ComposeResult:
        yield Form(id="form")
        with Vertical(id="script"):
            yield ScriptEditor()
            yield Static(id="problems", markup=False)

    @property
    def setting(self) -> str:
        """The attack and the defences in a few words: `mga 5 %  then norm-sub`."""
        steps = described_steps(self.draft)
        return script.describe_attack(attack_of(self.draft)) + f"  then {steps}" * bool(steps)

    # The two views.

    def watch_view(self) -> None:
        self.set_class(self.view == "script", "-show-script")
        self._say_below()

    def action_switch(self) -> None:
        """Show and focus the script in place of the form, or the form again."""
        self.view = "form" if self.view == "script" else "script"
        self.call_after_refresh(self.first_stop().focus)

    def _say_below(self) -> None:
        """Show in the lower border how to leave the script, or its error while it is hidden."""
        draft = self.draft
        problems = draft.problems if draft is not None else ()
        hidden = self.view == "form"
        self.set_class(bool(problems) and hidden, "-wrong")
        line = problems[0].line if problems and hidden else None
        fields = self.screen.query(Field) if line is not None else ()
        if any(field.key == problems[0].key and field.display for field in fields):
            line = None  # its row says it
        back = "" if hidden else "[@click=switch]alt+s form[/]"
        subtitle = back if line is None else f"[@click=switch]✗ line {line} · alt+s script[/]"
        if subtitle != self._said:
            self._said = self.border_subtitle = subtitle

    # The focus.

    def first_stop(self) -> Widget:
        return self.query_one(ScriptEditor) if self.view == "script" else super().first_stop()

    # Downwards.

    def rows(self, draft: Draft) -> Iterator[FormRow]:
        """The rows of the form: the attack, then the defences of the server."""
        yield from attack_rows(draft, self._is_open)
        yield from defence_rows(draft)

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted:
            return
        editor = self.query_one(ScriptEditor)
        editor.show(draft.text)
        lines = (problem.line for problem in draft.problems)
        editor.mark(frozenset(line for line in lines if line is not None))
        put_or_hide(self.query_one("#problems", Static), "\n".join(map(sentence, draft.problems)))
        super().watch_draft(draft)
        self._say_below()

    # Upwards.

    def on_key_edited(self, event: KeyEdited) -> None:
        """Replace the edit of a choice that stands for several keys by an edit of the table of
        these keys.
        """
        if self.draft is not None and (edit := edit_of_choice(self.draft, event.key, event.value)):
            event.stop()
            self.post_message(KeyEdited(*edit))

    def on_form_line_pressed(self, event: FormLine.Pressed) -> None:
        """Show the rarely changed rows, or add a phase or a defence."""
        event.stop()
        if event.line.name == "more":
            self._is_open, self._wanted = True, "goal.metric"
            self.show()
        elif event.line.key == PHASES:
            self.action_phase()
        else:
            self.action_add_step()

    def action_phase(self) -> None:
        """Add a phase after that of the focused row, or after the last; the first one makes two.

        The new phase's share gets the focus.
        """
        draft = self.draft
        if draft is None or not draft.parses:
            return
        attack, at = attack_of(draft), re.match(rf"{PHASES}\.(\d+)\.", self.focused_key)
        after = int(at[1]) if at else len(script.phases_of(attack)) - 1
        swept = [f"sweep.{key}" for key in sweep_of(draft) if key.startswith("attack.")]
        edits = [
            *((key, None) for key in ("goal", *swept)),
            ("attack", add_phase(attack, after)),
        ]
        self._wanted = f"{PHASES}.{max(0, after) + 1}.share"
        self.post_message(KeysProposed(edits, "the phases", sweeps_stay=True))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for the keys of phases, parts and defences outside their rows."""
        if action == "write_code":
            return attack_of(self.draft).get("kind") == "plugin"
        if action == "add_step":
            return self.focused_key.partition(".")[0] == TABLE
        if action != "step" or self.draft is None:
            return True
        place = place_of(self.draft, self.focused_key)
        return place is not None and (parameters != ("mute",) or not place[0].endswith("mix"))

    def action_write_code(self) -> None:
        """Open the attack's Python code in the user's editor, a copy of the example for a new
        attack; then run the scenario.

        Before the run a dialog asks whether the code may run. A fault of syntax is said instead.
        """
        draft, screen = self.draft, cast("Any", self.screen)
        if draft is None or not draft.parses:
            return
        try:
            name = str(attack_of(draft).get("name") or "")
            path, line, name = find_attack_code(draft.folder, name)
            with self.app.suspend():
                subprocess.run(editor_command(path, line), check=False)
            fault = syntax_fault(path)
        except (LdpError, OSError, SuspendNotSupported) as error:
            self.post_message(StatusNote(f"no editor was opened: {error}"))
            return
        screen.take_draft(edit_key(draft, "attack.name", name))
        if fault:
            self.post_message(StatusNote(fault))
        else:
            screen.action_run()

    def action_add_step(self) -> None:
        """Show the list of defences; the picked one becomes the last step."""
        row, draft = self.screen.focused, self.draft
        if draft is None or not draft.parses or row is None:
            return
        kinds = [(kind, kind) for kind in listed_kinds(TABLE)[1:]]  # the first is none
        self._wanted = f"{TABLE}.{len(steps_of(draft))}.kind"

        def add(kind: str) -> None:
            self.post_message(KeyEdited(NEW_STEP, kind))

        self.post_message(ChoicesAsked(row, NEW_STEP, "defence of the server", kinds, None, add))

    def action_step(self, what: str) -> None:
        """Move, mute or remove the defence, the phase or the part of the focused row."""
        draft = self.draft
        place = place_of(draft, self.focused_key) if draft is not None and draft.parses else None
        if draft is None or place is None:
            return
        (table, at), before = place, value_of(draft, place[0])
        after, chosen = changed_list(before, what, at)
        word = f"{PLACES.get(table, 'part')} {at + 1}"
        if after == before:
            end = "first" if what == "up" else "last"
            self.post_message(StatusNote(f"{word} is the {end}", refuses_key=True))
            return
        self._wanted = f"{table}.{chosen}.{'share' if table == PHASES else 'kind'}"
        if what == "remove":
            self.post_message(StatusNote(f"{word} removed; ctrl+z brings it back"))
        if table == PHASES and not after:
            self.post_message(KeyEdited("attack", without_phases(attack_of(draft))))
        else:
            self.post_message(KeyEdited(table, after or None))
