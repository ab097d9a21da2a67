"""The result on the screen, in the border of the pane, and the claim of the scenario."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from ....text.prose import first_lines
from ....widgets.choice_bar import ChoiceBar, Choices
from ....widgets.words import put, spell_text
from .shown import ChartInput

CLAIM: Final = (19, 27, 40)
"""Rows of the pane from which one line, two and three say what the scenario claims."""

ROOMY: Final = 27
"""Rows of the pane from which two lines say what was found over tables and texts."""

FOUND: Final = (16, 26)
"""Rows of the pane from which one line and two say what was found, however short it is."""


def border_title(pane: Widget, shown: ChartInput) -> Content:
    """The title of the pane Charts with the name of the run, highlighted if the run has other
    settings than the draft.
    """
    name = str(pane.BORDER_TITLE)
    if not shown.result:
        return Content(name)
    style = "$text-warning" if shown.marked else "$foreground"
    return Content.assemble(f"{name} · ", (spell_text(pane, shown.result), style))


def show_options(pane: Widget, tabs: ChoiceBar, options: Choices) -> None:
    """Write the options that keys change behind the tabs, or into the lower border if the tab bar
    is full.
    """
    tabs.switches = options
    words = " · ".join(words for _, words in options)
    said = "" if tabs.fits(tabs.choices, pane.content_size.width) else spell_text(pane, words)
    if said != (pane.border_subtitle or ""):
        pane.border_subtitle = said


class Headline(Static):
    """The sentence above the charts: the result of the run; before the first trials the claim of
    the scenario.
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, shown: ChartInput, chart: str, room: Size, *, over_charts: bool) -> int:
        """Write the sentences for a pane of this size and return the number of rows that they take.

        chart : the name of the tab.
        over_charts : True above charts; above tables and texts there is less room, and the tab of a
            goal says the result itself.
        """
        claimed = sum(room.height >= rows for rows in CLAIM) if over_charts else 0
        most = sum(room.height >= rows for rows in FOUND)
        if not over_charts:
            most = 2 * (chart != "answer" and room.height >= ROOMY)
        said = next(iter(shown.verdict(chart)), "")
        lines = found = first_lines(spell_text(self, said), room.width, most) if said else []
        # Neither an edit nor a cursor moves a chart by its words.
        held = most if over_charts and (found or shown.tells) else 0
        if not found and (claimed := min(claimed, held or claimed)):
            lines = first_lines(shown.claim, room.width, claimed)
        lines = lines + [" "] * (held - len(lines))
        self.set_class(bool(found), "-found")
        self.display = bool(lines)
        if (text := "\n".join(lines)) != (before := str(self.content)):
            self.update(text, layout=text.count("\n") != before.count("\n"))
        return len(lines)


class Warnings(Static):
    """The widget of the reasons to doubt the results, a line each."""

    def __init__(self) -> None:
        super().__init__(id="warnings", markup=False)

    def show(self, shown: ChartInput, *, has_room: bool) -> None:
        """Write the reasons if there is room; above tables there is none."""
        text = "\n".join(f"! {sentence}" for sentence in shown.warnings)
        put(self, text)
        self.display = bool(text) and has_room
