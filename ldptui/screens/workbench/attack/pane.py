"""Pane 3: the attack as a form, and the scenario as text: two views of one draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import OptionList

from ....session.draft import attack_script as script
from ....terminal.keyboard import first_focus
from ....widgets.blank import fitted
from ..form_pane import FormPane
from ..script import ProblemList, ScriptEditor
from .form import AttackForm, Composition

if TYPE_CHECKING:
    from ....session.draft import Draft

SIDE_BY_SIDE: Final = 74
"""Cells inside the border from which form and script stand side by side."""
PATIENCE_S: Final = 0.4
"""Seconds that a text may be wrong while it is typed before the list below it says so."""


class AttackPane(FormPane, can_focus=True):
    """Form and script; where there is room for one only, `s` switches."""

    BORDER_TITLE = "3 Attack"
    DEFAULT_CSS = """
    AttackPane {
        border-subtitle-color: $text-muted;
        layout: vertical;
        height: 1fr;
        &.-wrong { border-subtitle-color: $text-error; }
        & > #form { height: 1fr; }
        & > #script { height: 1fr; display: none; padding: 0 0 0 1; }
        &.-show-script > #form { display: none; }
        &.-show-script > #script { display: block; }
        &.-both > #form, &.-both > #script { display: block; }
        &.-side { layout: horizontal; }
        &.-side > #form { width: 42; }
        &.-side > #script { width: 1fr; border-left: solid $foreground 15%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "switch", "Form/script", id="attack.switch"),
        # Before a text with the focus, which would take the letter of it.
        Binding(
            "alt+s", "switch", "Form/script", show=False, priority=True, id="attack.switch-anywhere"
        ),
        Binding("enter,down,j", "enter", "Edit", show=False, id="attack.edit"),
    ]

    view: var[str] = var("form")
    _said = ""

    def compose(self) -> ComposeResult:
        yield AttackForm(id="form")
        with Vertical(id="script"):
            yield ScriptEditor()
            yield ProblemList()

    @property
    def setting(self) -> str:
        """The attack in a few words: `mga 5 %`."""
        document = self.draft.document if self.draft is not None else None
        attack = (document or {}).get("attack")
        return script.described(attack if isinstance(attack, Mapping) else {})

    # The two views.

    def on_mount(self) -> None:
        fitted(self, self._fit)

    def _fit(self) -> None:
        side = self.size.width >= SIDE_BY_SIDE
        self.update_classes({"-side": side, "-both": side})
        self._say_below()

    def watch_view(self) -> None:
        self.set_class(self.view == "script", "-show-script")
        self._say_below()

    def action_switch(self) -> None:
        """Show the other view and go there; where both stand, go there."""
        inside = self.screen.focused
        in_script = inside is not None and inside in self.query_one("#script").query("*")
        to_form = in_script if self.has_class("-both") else self.view == "script"
        self.view = "form" if to_form else "script"
        target = self._first_field() if to_form else self.query_one(ScriptEditor)
        self.call_after_refresh(target.focus)

    @property
    def hides_script(self) -> bool:
        """True while the form alone is shown."""
        return self.view == "form" and not self.has_class("-both")

    def _say_below(self) -> None:
        """Show the way to the other view, and an error that it would show, in the lower border."""
        draft = self.draft
        problems = draft.problems if draft is not None else ()
        hidden = self.hides_script
        self.set_class(bool(problems) and hidden, "-wrong")
        other = "script" if self.view == "form" else "form"
        line = problems[0].line if problems and hidden else None
        error = f"✗ line {line} · " if line is not None else ""
        subtitle = "" if self.has_class("-both") else f"{error}[@click=switch]alt+s {other}[/]"
        if subtitle != self._said:
            self._said = self.border_subtitle = subtitle

    # The focus.

    def first_stop(self) -> Widget:
        script = self.view == "script" and not self.has_class("-both")
        return self.query_one(ScriptEditor) if script else self._first_field()

    def _first_field(self) -> Widget:
        return first_focus(self.query_one("#form")) or self

    # Downwards.

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted:
            return
        editor, problems = self.query_one(ScriptEditor), self.query_one(ProblemList)
        editor.show(draft.text)
        lines = (problem.line for problem in draft.problems)
        editor.mark(frozenset(line for line in lines if line is not None))
        # A list that comes and goes with every second key would make the editor jump.
        problems.show(draft.problems, PATIENCE_S if editor.has_focus else 0)
        self._say_below()
        self.block(draft)
        if draft.parses:
            self.query_one(AttackForm).draft = draft

    def close(self, closed: bool) -> None:
        self.query_one("#form").disabled = closed

    # Upwards.

    def on_composition_script_asked(self, event: Composition.ScriptAsked) -> None:
        event.stop()
        self.view = "script"
        self.call_after_refresh(self.query_one(ScriptEditor).go_to_attack)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        problem = self.query_one(ProblemList).marked
        if problem is not None:  # the list may have changed since
            self.query_one(ScriptEditor).go_to(problem.line or 1)
