"""The charts that a tab shows, and those whose cursor its keys move."""

from __future__ import annotations

from dataclasses import dataclass

from ....widgets.cursor import Pointed
from .boxes import Boxes
from .curve import CurveChart
from .sheets import Sheets
from .shown import Shown
from .tabs import charts_of


@dataclass(frozen=True, eq=False)
class Aim:
    """A tab over all charts and sheets.

    wide : whether two charts stand side by side. behind : the chart of the table.
    """

    tab: str
    shown: Shown
    boxes: Boxes
    sheets: Sheets
    wide: bool
    behind: str

    @property
    def visible(self) -> tuple[str, ...]:
        """The charts that are on the screen, the tab's own ones first."""
        return charts_of(self.tab, wide=self.wide, rounds=self.shown.rounds is not None)

    @property
    def needed(self) -> frozenset[str]:
        """The tabs whose charts, or their numbers, are looked at."""
        return frozenset((self.tab, *self.visible, *[self.behind] * (self.tab == "table")))

    @property
    def scrubs(self) -> bool:
        """True if the charts on the screen follow a round."""
        follows = {"timeline", "frequencies"} & self.needed
        own = self.own
        return bool(follows) and self.shown.rounds is not None and not (own and own.leads)

    @property
    def own(self) -> Pointed | None:
        """The chart or the sheet of the tab, where that has a cursor."""
        sheet = self.sheets.of(self.tab)
        return sheet if isinstance(sheet, Pointed) else self.boxes.of(self.tab)

    @property
    def cursor(self) -> Pointed | None:
        """The chart whose cursor the keys move."""
        own = self.own
        if own is not None and own.leads:
            return own
        return None if self.scrubs else self.boxes.walking(self.tab) or own

    @property
    def played(self) -> CurveChart | None:
        """The chart whose swept values play; none where rounds do."""
        return None if self.scrubs else self.boxes.played(self.tab)
