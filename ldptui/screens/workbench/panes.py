"""The five panes of the workbench: side by side, or one at a time, and the one with the focus."""

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

if TYPE_CHECKING:
    from ...session.draft import Draft

BORDER_RULES: Final = ("border_top", "border_right", "border_bottom", "border_left")
CHARTS: Final = 4
"""The pane that is shown first where there is room for one only."""


class Panes(Columns):
    """The forms to the left, the charts and the runs to the right; numbered from 1 to 5."""

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

    def compose(self) -> ComposeResult:
        with self._controls:
            yield self._panes[1]
        with self._main:
            yield self.charts
            yield self.runs

    async def mount_forms(self) -> None:
        """The two panes with many fields: the first frame would wait even for their imports."""
        from .attack.pane import AttackPane
        from .parameters import ParametersPane

        forms = {2: ParametersPane(id="pane-2"), 3: AttackPane(id="pane-3")}
        await self._controls.mount(*forms.values())
        self._panes |= forms

    def __contains__(self, number: object) -> bool:
        """True once the pane of this number exists."""
        return number in self._panes

    def hand(self, draft: Draft) -> None:
        """Give a draft to all that show it."""
        for number in (1, 2, 3, CHARTS):
            self._panes[number].draft = draft

    def point(self, round: int | None) -> None:  # noqa: A002 - of a campaign
        """Show in the attack's form which round the charts show."""
        if 3 in self._panes:
            self._panes[3].cursor = round

    def lay_out(self, alone: int | None) -> None:
        """Show all panes, or this one alone.

        (A class on the screen would say the same, and style every widget anew.)
        """
        self._controls.display = alone is None or alone < CHARTS
        self._main.display = alone is None or alone >= CHARTS
        for number, pane in self._panes.items():
            pane.display = alone in (None, number)

    def enter(self, number: int) -> None:
        """Put the focus into a pane."""
        pane = self._panes[number]
        self._mark(pane)  # its message comes a frame later
        if hasattr(pane, "focus_first"):
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
                return number
        return None

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
