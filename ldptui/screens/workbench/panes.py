"""The panes of the workbench: side by side, or one at a time, and the one with the focus."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Click
from textual.geometry import Size
from textual.widget import Widget

from ...messages import ChoicesAsked
from ...widgets.blank import PaneColumns, PaneRows, call_on_resize
from ...widgets.field import Field
from ...widgets.words import DOT, entitle, parts_within, spell_text
from .charts import ChartsPane
from .protocol_pane import ProtocolPane
from .runs_pane import RunsPane
from .title import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...session.draft import Draft, Problem

ROOM_FOR_ALL: Final = 100
"""Columns from which all panes are shown at once."""
CHARTS: Final = 4
"""The pane that is shown first where there is room for one only."""
ATTACK: Final = 3
"""The pane with the script, and the list of what is wrong there."""
HIGH_ENOUGH: Final = 24
"""Rows from which they are; below, the one that is used has the whole screen."""
ROOM_FOR_PROTOCOL: Final = 28
"""Rows from which the protocols stand above the other forms, which share a place."""
ROOMY: Final = 52
"""Rows from which the parameters stand there as well."""
FORMS: Final = (1, 2, 3)
"""Panes that share one column: the one that was used last is open, each other one a line."""


class Panes(PaneColumns):
    """The panes of the workbench: the forms on the left, charts and runs on the right, numbered as
    in `NAMES`.

    zoomed : True if the current pane fills the screen.
    cramped : True if only one pane has room.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.charts, self.runs = ChartsPane(id="pane-4"), RunsPane(id="pane-5")
        self._controls, self._main = PaneRows(id="controls"), PaneRows(id="main")
        # Any: the panes have little in common, and each is asked only for what it has.
        self._panes: dict[int, Any] = {
            1: ProtocolPane(id="pane-1"),
            CHARTS: self.charts,
            5: self.runs,
        }
        self._draft: Draft | None = None
        self._used = [ATTACK, 2, 1]  # the forms, the one that was used last first
        self._alone: int | None = None
        self.zoomed = self.cramped = self._roomy = False
        self._height = 0  # of the screen

    def compose(self) -> ComposeResult:
        with self._controls:
            yield self._panes[1]
        with self._main:
            yield self.charts
            yield self.runs

    def on_mount(self) -> None:
        call_on_resize(self._controls, self._fold)
        self.screen.screen_layout_refresh_signal.subscribe(self, self._centre)

    def on_descendant_focus(self) -> None:
        self.call_after_refresh(self._centre)

    def _centre(self, _: object = None) -> None:
        """Scroll the focused field into the middle of its form.

        So the scroll position depends on the focus only.
        """
        focused: Any = self.screen.focused
        for pane in self._panes.values():
            if focused is pane:
                focused = pane.stop  # the field that had it last
        if focused is not None and self._controls in focused.ancestors:
            self.screen.scroll_to_center(focused, animate=False)

    async def mount_forms(self) -> None:
        """Mount the panes with many fields, which the first frame leaves out to appear sooner.

        The first frame would wait for them, even for the imports of the fields.
        """
        from .attack_pane import AttackPane
        from .parameters_pane import ParametersPane

        await self.charts.mount_rest()
        await self.runs.mount_rest()
        forms = {
            2: ParametersPane(id="pane-2"),
            3: AttackPane(id="pane-3"),
        }
        await self._controls.mount(*forms.values())
        self._panes |= forms

    def __contains__(self, number: object) -> bool:
        """True once the pane of this number exists."""
        return number in self._panes

    def hand(self, draft: Draft) -> None:
        """Pass a draft to all panes that show it."""
        self._draft = draft
        for pane in self._panes.values():
            if hasattr(pane, "draft"):
                pane.draft = draft
        self._fold()

    def lay_out(self, size: Size, current: int) -> bool:
        """Show all panes, or the current one alone on a small screen; returns True if
        it is alone.
        """
        self.cramped = size.width < ROOM_FOR_ALL or size.height < HIGH_ENOUGH
        self._alone = alone = current if self.cramped or self.zoomed else None
        self._height = size.height
        self._roomy = size.height >= ROOMY
        self.set_class(self._roomy, "-roomy").set_class(alone is not None, "-alone")
        self._main.display = alone not in FORMS
        self._controls.display = alone in (None, *FORMS)
        for number, pane in self._panes.items():
            pane.display = alone in (None, number)
        self._fold()
        return alone is not None

    @property
    def back(self) -> bool:
        """True while a pane is zoomed, so that esc shows all panes again."""
        return self.zoomed and not self.cramped

    def _fold(self) -> None:
        """Fold the forms that are not in use to a line with their setting."""
        above = (1, 2) if self._roomy else (1,) if self._height >= ROOM_FOR_PROTOCOL else ()
        sharing = [number for number in FORMS if number not in above]
        opened = next(number for number in self._used if number in sharing)
        problems = self._draft.problems if self._draft is not None else ()
        wrong_pane = self._place_of(problems[0])[0] if problems else None
        # A rule and a blank stand on both sides of a title; none is laid out in the first frame.
        room = self._controls.outer_size.width - 4 if self._controls.outer_size else sys.maxsize
        for number in FORMS:
            if number in self._panes:
                pane = self._panes[number]
                folded = self._alone is None and number in sharing and number != opened
                if pane.has_class("-folded") != folded:
                    # Of all that is in the pane this changes its children alone.
                    pane.set_class(folded, "-folded", update=False)
                    self.app.stylesheet.update_nodes([pane, *pane.children])
                rule = "─ " * folded  # as under the corner of a pane that is open
                wrong = "✗ " * (folded and number == wrong_pane)
                title = f"{rule}{wrong}{number} {NAMES[number]}"
                if folded and pane.setting:
                    title += DOT
                    setting = spell_text(self, pane.setting)
                    title += parts_within(setting, room - len(title), "  ", dropped=-1)
                title += " " * folded
                entitle(pane, Content(title))

    def on_choices_asked(self, message: ChoicesAsked) -> None:
        """Show the list of all values that a field can have, each checked in the draft."""
        from ...widgets.picker import pick
        from .attack_rows import edit_of_choice

        message.stop()
        pick(message, self._draft, edit_of_choice)

    def on_click(self, event: Click) -> None:
        """Open a folded pane when its line is clicked."""
        for number, pane in self._panes.items():
            if pane.has_class("-folded") and event.screen_offset in pane.region:
                self.enter(number)

    def enter(self, number: int, control: Widget | None = None) -> None:
        """Put the focus into a pane at once: on `control`, or on the control that had it last."""
        pane = self._panes[number]
        folded = pane.has_class("-folded")
        self._mark(pane)
        if number in FORMS and number != self._used[0]:
            self._used = [number, *(other for other in self._used if other != number)]
            self._fold()
        if control is None and not folded:
            pane.focus_first()
        else:  # what was folded has no place on the screen yet to scroll to
            self.screen.set_focus(control or pane.stop, scroll_visible=not folded)

    def open_focused(self, focused: Widget | None) -> int | None:
        """Unfold the pane with the focus and return its number; None if no pane has it."""
        inside = focused.ancestors_with_self if focused is not None else ()
        for number, pane in self._panes.items():
            if pane in inside:
                self._mark(pane)
                if pane.has_class("-folded"):
                    self.enter(number)
                return number
        return None

    def _mark(self, pane: Widget) -> None:
        """Set the border of the pane with the focus.

        `:focus-within` would do the same, but style every widget of both panes again.
        """
        for each in self._panes.values():
            if each.has_class("-focused") != (each is pane):
                each.set_class(each is pane, "-focused", update=False)
                self.app.stylesheet.update_nodes([each])

    def fields(self) -> Iterator[tuple[int, Field]]:
        """Yields the fields that are shown, each with the number of its pane."""
        for number, pane in self._panes.items():
            yield from ((number, field) for field in pane.query(Field) if field.display)

    def field(self, key: str) -> tuple[int, Field] | None:
        """The field of a key, and the number of its pane."""
        return next((place for place in self.fields() if place[1].key == key), None)

    def find_pane(self, problem: Problem) -> int | None:
        """The number of the visible pane that shows a problem, below a field or the script; None if
        none does.
        """
        number, field = self._place_of(problem)
        pane = self._panes.get(number)
        if pane is None or not pane.display or pane.has_class("-folded"):
            return None
        return None if field is None and pane.view == "form" else number

    def _place_of(self, problem: Problem) -> tuple[int, Field | None]:
        """The number of the pane that has a problem, and its field; the pane with the script, and
        None, if no row has it.
        """
        return (self.field(problem.key) if problem.key else None) or (ATTACK, None)
