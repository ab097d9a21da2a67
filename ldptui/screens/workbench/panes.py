"""The panes of the workbench: side by side, or one at a time, and the one with the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult
from textual.color import Color
from textual.widget import Widget

from ...widgets.field import Field
from .blank import Columns, Rows
from .charts import ChartsPane
from .protocol import ProtocolPane
from .runs import RunsPane
from .title import NAMES

if TYPE_CHECKING:
    from ...session.draft import Draft

BORDER_RULES: Final = ("border_top", "border_right", "border_bottom", "border_left")
ROOM_FOR_ALL: Final = 100
"""Columns from which all panes are shown at once; the app's breakpoint for -normal."""
CHARTS: Final = 4
"""The pane that is shown first where there is room for one only."""
TURNS: Final = (3, 7)
"""Panes that share one place: the one that was used last is open, the other a line."""


class Panes(Columns):
    """The forms to the left, the charts and the runs to the right; numbered as in `NAMES`."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.charts, self.runs = ChartsPane(id="pane-4"), RunsPane(id="pane-5")
        self._controls, self._main = Rows(id="controls"), Rows(id="main")
        # Any: the panes have little in common, and each is asked only for what it has.
        self._panes: dict[int, Any] = {
            1: ProtocolPane(id="pane-1"),
            CHARTS: self.charts,
            5: self.runs,
        }
        self._marked: Widget | None = None
        self._open = TURNS[0]
        self._alone: int | None = None

    def compose(self) -> ComposeResult:
        with self._controls:
            yield self._panes[1]
        with self._main:
            yield self.charts
            yield self.runs

    async def mount_forms(self) -> None:
        """The panes with many fields: the first frame would wait even for their imports."""
        from .attack.pane import AttackPane
        from .defences import DefencesPane
        from .parameters import ParametersPane

        forms = {
            2: ParametersPane(id="pane-2"),
            3: AttackPane(id="pane-3"),
            7: DefencesPane(id="pane-7"),
        }
        await self._controls.mount(*forms.values())
        self._panes |= forms

    def __contains__(self, number: object) -> bool:
        """True once the pane of this number exists."""
        return number in self._panes

    def hand(self, draft: Draft) -> None:
        """Give a draft to all that show it."""
        for pane in self._panes.values():
            if hasattr(pane, "draft"):
                pane.draft = draft
        self._fold()

    def point(self, round: int | None) -> None:  # noqa: A002 - of a campaign
        """Show in the attack's form which round the charts show."""
        if 3 in self._panes:
            self._panes[3].cursor = round

    def lay_out(self, alone: int | None) -> None:
        """Show all panes, or this one alone.

        (A class on the screen would say the same, and style every widget anew.)
        """
        right = (self.charts, self.runs)
        self._alone = alone
        self._main.display = alone is None or self._panes.get(alone) in right
        self._controls.display = alone is None or not self._main.display
        for number, pane in self._panes.items():
            pane.display = alone in (None, number)
        self._fold()

    def _fold(self) -> None:
        """Fold the pane whose turn it is not to a line that says its setting."""
        for number in TURNS:
            if number in self._panes:
                pane = self._panes[number]
                folded = self._alone is None and number != self._open
                pane.set_class(folded, "-folded")
                title = f"{number} {NAMES[number]}" + (f" · {pane.setting}" if folded else "")
                if pane.border_title != title:
                    pane.border_title = title

    def enter(self, number: int) -> None:
        """Put the focus into a pane."""
        pane = self._panes[number]
        folded = pane.has_class("-folded")
        self._mark(pane)  # its message comes a frame later
        self._turn(number)
        if folded:
            self.call_after_refresh(pane.focus_first)
        elif hasattr(pane, "focus_first"):
            pane.focus_first()
        else:
            self.screen.set_focus(
                next((widget for widget in pane.query("*") if widget.focusable), None)
            )

    def marked(self, focused: Widget | None) -> int | None:
        """Mark the pane that the focus is in; its number, None outside of all."""
        inside = focused.ancestors_with_self if focused is not None else ()
        for number, pane in self._panes.items():
            if pane in inside:
                self._mark(pane)
                if pane.has_class("-folded"):
                    self.enter(number)
                return number
        return None

    def _turn(self, number: int) -> None:
        """Open one of the panes that share a place."""
        if number in TURNS and number != self._open:
            self._open = number
            self._fold()

    def field(self, key: str) -> tuple[int, Field] | None:
        """The field of a key, and the number of its pane."""
        for number, pane in self._panes.items():
            for field in pane.query(Field):
                if field.key == key and field.display:
                    return number, field
        return None

    def _mark(self, pane: Widget) -> None:
        """The accent colour on the border of the pane that has the focus.

        (`:focus-within` would say the same, and style every widget of both panes anew.)
        """
        if pane is self._marked:
            return
        if self._marked is not None:
            for rule in (*BORDER_RULES, "border_title_color"):
                self._marked.styles.clear_rule(rule)
            self._marked.refresh()
        accent = Color.parse(self.app.theme_variables["accent"])
        # Without colours of its own a terminal still shows where the focus is.
        edge = ("heavy" if self.app.current_theme.ansi else "round", accent)
        # As rules: setting a title's colour as a style repaints all that the pane holds.
        for rule in BORDER_RULES:
            pane.styles.set_rule(rule, edge)
        pane.styles.set_rule("border_title_color", accent)
        pane.refresh()
        self._marked = pane
