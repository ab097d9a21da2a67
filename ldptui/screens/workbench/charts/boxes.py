"""The charts of all tabs: whose cursor points at a cell, and what they need of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.geometry import Size
from textual.widget import Widget

from ....charts.kinds import KINDS
from ....session.snapshot import ChartSelection
from .box import ChartBox
from .shown import ChartInput

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario


class Boxes(dict[str, ChartBox]):
    """The chart boxes of the pane Charts by the name of their chart."""

    def __init__(self) -> None:
        drawn = (kind for kind in KINDS.values() if kind.frame and kind.title)
        super().__init__({kind.name: ChartBox(kind) for kind in drawn})
        self._walking: ChartBox | None = None

    async def mount(self, columns: Widget) -> None:
        """Mount the boxes that the first frame of the app leaves out."""
        others = [box for box in self.values() if not box.is_attached]
        for box in others:
            box.display = False
        await columns.mount(*others)

    def show(
        self, visible: Sequence[str], columns: Widget, shown: ChartInput, room: Size, zoom: float
    ) -> None:
        """Draw the charts named in `visible` side by side, the first on the left.

        zoom : the factor of the x-axes.
        """
        data = shown.data
        for name, box in self.items():
            box.display = name in visible
            box.set_class(name in visible[1:], "-aside")
        for name in visible:
            # News of a run may come while the app ends, and its widgets are gone.
            if (box := self[name]).is_mounted and box in columns.children:
                if name == visible[0] and columns.children[0] is not box:
                    columns.move_child(box, before=0)
                box.show(data, room, shown.waits_for(box.kind), shown.note)
                for chart in box.charts():
                    chart.zoom = zoom

    def pointing(self, tab: str) -> ChartBox | None:
        """The chart whose cursor points at a cell: the chart of the tab, else the chart
        used last.
        """
        own = self.get(tab)
        if own is not None and own.takes_cell:
            self._walking = own
        elif self._walking is not None and not self._walking.takes_cell:
            self._walking = None
        return self._walking

    def selections(
        self, scenario: Scenario, needed: Iterable[str], at: Mapping[str, Any]
    ) -> tuple[ChartSelection, ...]:
        """The cells to measure for the charts named in `needed`, the base cell first.

        at : the values of the cell at a cursor; empty for none.
        """
        from ....charts.curves import thin_out

        boxes = [self[name] for name in needed]
        asked: dict[str, Any] = {box.kind.asks: True for box in boxes if box.kind.asks}
        chosen: list[ChartSelection | None] = [ChartSelection(**asked)]
        if at:
            there: dict[str, Any] = {
                box.kind.asks: True for box in boxes if box.kind.asks and box.kind.at_cell
            }
            chosen.append(ChartSelection(dict(at), estimates=True, **there))
        for box in boxes:
            chosen += box.kind.cells(scenario, box.chosen) if box.kind.cells is not None else ()
        return tuple(thin_out(each) for each in chosen if each is not None)

    def measurement_key(self, needed: Iterable[str]) -> list[object]:
        """A comparison key that changes when the charts need other cells to be measured."""
        return [
            (name, self[name].chosen.get("axis"), self[name].chosen.get("layer"))
            for name in needed
            if self[name].kind.cells is not None or self[name].kind.asks
        ]
