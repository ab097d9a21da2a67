"""The widget of any chart: its views, its cursor, and what its keys change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.geometry import Size

from ....charts.chart_data import ChartData
from ....charts.kinds import ChartKind
from ....charts.series import LateError, Panels, Plot
from ....messages import LongWork
from ....terminal.keyboard import AXIS, VIEW, key_of
from ....widgets.blank import Area
from ....widgets.choice_bar import Choices
from ....widgets.cursor import CursorCharts, nearest
from ....widgets.plot import ChartView

if TYPE_CHECKING:
    from ....charts.figures import ChartOption, ChartTable, Frame, FrameView
    from ....charts.series import Place

DRAWING: Final = "working out the closed forms …"
KEYS: Final = {
    "axis": AXIS, "layer": AXIS, "view": VIEW, "pick": ("charts.pick", "f"),
    "x": ("charts.log-x", "X"), "y": ("charts.log-y", "c"), "walk": ("charts.next-cohort", "j"),
    "group": ("charts.group", "g"),
}  # fmt: skip
"""The options of a chart, with the binding whose key changes each."""


class ChartBox(CursorCharts):
    """One chart of a run: the chosen view of it, and the next view beside it if there is room."""

    def __init__(self, kind: ChartKind) -> None:
        super().__init__(id=f"{kind.name}-box")
        self.kind = kind
        self.chosen: dict[str, str] = {}  # by hand, by the names of the options
        self._data, self._room, self._note = ChartData(), Size(), ""
        self._frame: Frame | str = ""
        self._made_of: tuple[Any, ...] | None = None
        self._awaited: tuple[object, ...] | None = None  # what long work goes on for
        self._is_bare = False  # the frame is without closed forms, which are on their way
        self._drawn: tuple[Any, ...] = ()
        self._pictures = [ChartView(id=kind.name)]
        if kind.tall or kind.wide:
            self._pictures.append(ChartView(id=f"{kind.name}-next", classes="-next"))
        self._area = Area(*self._pictures)

    def compose(self) -> ComposeResult:
        yield self._area
        yield self._readout

    # What is shown.

    @property
    def frame(self) -> Frame | None:
        """The frame that the chart draws; None while there is no data."""
        return None if isinstance(self._frame, str) else self._frame

    @property
    def views(self) -> dict[str, FrameView]:
        """The views on the screen by name, the chosen one first."""
        frame = self.frame
        if frame is None:
            return {}
        names = [*frame.views]
        at = names.index(self._view)
        both = names[at:] + names[:at]
        return {name: frame.views[name] for name in both[: 2 if self._has_room else 1]}

    def charts(self) -> list[ChartView]:
        """The chart widgets of the views, once the box is mounted."""
        return [picture for picture in self._pictures if picture.display and picture.is_mounted]

    @property
    def _view(self) -> str:
        """The name of the view shown: the chosen one, else the first."""
        views = self.frame.views if self.frame is not None else {}
        return self.chosen["view"] if self.chosen.get("view") in views else next(iter(views), "")

    @property
    def _is_wide(self) -> bool:
        return 0 < self.kind.wide <= self._room.width

    @property
    def _has_room(self) -> bool:
        return self._is_wide or 0 < self.kind.tall <= self._room.height

    def show(self, data: ChartData, room: Size, empty: str = "", note: str = "") -> None:
        """Draw the chart into a box of this size; of size (0, 0) nothing is drawn.

        empty : the words before anything is measured.
        note : words below each view.
        """
        self._data, self._room, self._note = data, room, note
        self._make()
        if not room.width:
            return
        if (frame := self.frame) is None:
            self._draw_nothing(str(self._frame) or empty)
            return
        views = self.views
        self._area.set_class(self._is_wide and len(views) > 1, "-beside")
        for picture, view in zip_longest(self._pictures, views):
            picture.display = view is not None
        if self._at is not None and self._at not in self._stops(views[self._view]):
            self._at = None
        words = self._read(room)
        note = DRAWING if self._is_bare else note
        state = (frame, self._view, self.at, self._picked, room, note)
        if state == self._drawn:
            return
        self._drawn = state
        at = self.at if words else None
        for picture, view in zip(self._pictures, views.values(), strict=False):
            chart: Any = view.draw(at, self._picture_room)
            notes = filter(None, (chart.note, note))
            picture.chart = replace(chart, note="; ".join(notes))

    def _make(self) -> None:
        """Make the frame, once for equal values; while closed forms are computed the earlier frame
        stays.

        Without an earlier frame it has the measured cells only.
        """
        made_of = (*self.kind.numbers(self._data), *self.chosen.items())
        if self._made_of is not None and _same(made_of, self._made_of):
            return
        if self._data.scenario is None and self._data.run is None:
            return  # before the first draft: figures import core
        try:
            self._frame = self.kind.make_frame(self._data, self.chosen)
        except LateError as late:
            is_new = self.frame is None or self.chosen.get("axis") != self._axis_before
            if self._is_bare or is_new:
                bare = replace(self._data, has_curves=False)
                self._frame, self._is_bare = self.kind.make_frame(bare, self.chosen), True
            if self._awaited != late.about:
                self._awaited = late.about
                self.screen.post_message(LongWork(self.kind.name, late.work, lambda _: None))
        else:
            self._made_of, self._awaited, self._is_bare = made_of, None, False
        self._axis_before = self.chosen.get("axis")
        if (frame := self.frame) is not None:
            self.column, self.picks, self.least = frame.column, frame.picks, frame.least

    _axis_before: str | None = None

    @property
    def _picture_room(self) -> tuple[int, int]:
        """The columns and rows of a picture."""
        width, height = self._room.width, self._room.height - self._readout.rows
        if len(self.views) > 1:
            return ((width - 1) // 2, height) if self._is_wide else (width, (height - 1) // 2)
        return width, height

    def _draw_nothing(self, words: str) -> None:
        self._drawn = ()
        self._readout.show("")
        for picture in self._pictures:
            picture.display = picture is self._pictures[0]
            if picture.chart is not None:
                picture.chart = None
        self._pictures[0].empty = words

    # What keys change.

    @property
    def options(self) -> Mapping[str, ChartOption]:
        """The options of the chart that keys change: the view, if there are several, and the
        options of its frame.
        """
        from ....charts.figures import ChartOption

        if (frame := self.frame) is None:
            return {}
        words = {name: view.words for name, view in frame.views.items()}
        view = {"view": ChartOption(words, self._view)} if len(words) > 1 else {}
        return {**frame.options, **view}

    def next_option(self, name: str, by: int = 1) -> None:
        """Choose the next value of an option; a new axis resets the spacing and the cursor."""
        if (
            name == "view"
            and self.frame is not None
            and self._view != (self.frame.opens or self._view)
        ):
            self.chosen.pop(name, None)  # back to all of them
        elif (option := self.options.get(name)) is not None:
            values = [*option.values]
            self.chosen[name] = values[(values.index(option.chosen) + by) % len(values)]
            if name == "axis":
                self.chosen.pop("x", None)
            if name in ("axis", "layer") or "bits" in (option.chosen, self.chosen[name]):
                self._at = None

    def switches(self) -> Choices:
        """The options that keys change, each with its key and what it shows next."""
        return tuple(
            (name, f"{key_of(self.app, *KEYS[name])} {option.next_words}")
            for name, option in self.options.items() if len(option.values) > 1
        )  # fmt: skip

    # The cursor.

    @property
    def at(self) -> Any:
        """The stop (x-value, round or item) at the cursor; for rounds the round that all charts
        share.
        """
        return self._at if self.frame is None or self.frame.at is None else self.frame.at

    @property
    def has_cursor(self) -> bool:
        """True if the chart has a cursor that no other chart shares."""
        return self._at is not None

    def take_stop(self) -> Any:
        """Return the clicked stop and clear the cursor, as another chart shows it."""
        stop, self._at = self._at, None
        return stop

    def _stops(self, view: FrameView) -> Sequence[Any]:
        from ....charts.figures.table import stops

        if view.stops is not None:
            return view.stops
        found = stops(self.frame.table, self.column) if self.frame is not None else ()
        return sorted(stop for stop in found if isinstance(stop, int | float))

    def stops(self) -> Sequence[Any]:
        return self._stops(self.frame.views[self._view]) if self.frame is not None else ()

    def table_at(self, at: Any) -> ChartTable | None:
        from ....charts.figures.table import rows_at

        if (frame := self.frame) is None or at not in self.stops():
            return None
        if (read := frame.views[self._view].read) is not None:
            return read(at)
        return replace(frame.table, rows=tuple(rows_at(frame.table, (self.column, at))))

    def stop_at(self, place: Place, chart: ChartView) -> Any:
        """The stop of the cursor that a click on one of the views means."""
        view = dict(zip(self._pictures, self.views.values(), strict=False)).get(chart)
        if view is not None and view.click is not None:
            found = view.click(place, self._picture_room)
            if found is None:
                return None
            stop, self._picked = found
            return stop
        if view is None or not isinstance(place, tuple):
            return None  # it has left the screen since the click, or that met no place
        drawn = chart.chart.plots[0] if isinstance(chart.chart, Panels) else chart.chart
        log = isinstance(drawn, Plot) and drawn.x.log
        return nearest(float(place[0]), self._stops(view), log=log)

    @property
    def walks(self) -> bool:
        """True if there are several cohorts, targets, rows or series to step through."""
        if self.frame is None:
            return False
        return "walk" in self.options or bool(self.frame.stride) or super().walks

    def walk(self, by: int) -> None:
        """Step to another cohort or target, another row of the map, or another series."""
        frame = self.frame
        if "walk" in self.options:
            self.next_option("walk", by)
        elif frame is not None and frame.stride:
            steps = by * frame.stride if self._at is not None else by
            stops = self.stops()
            if self._at is None or 0 <= stops.index(self._at) + steps < len(stops):
                self.step("step", steps)
        else:
            super().walk(by)

    @property
    def opens(self) -> bool:
        """True if enter opens the chart of the stop at the cursor."""
        frame = self.frame
        return frame is not None and frame.opens == self._view and self._at in frame.views

    def open_stop(self) -> None:
        """Show the chart of the stop at the cursor."""
        self.chosen["view"], self._at = self._at, None

    @property
    def takes_cell(self) -> bool:
        """True if the cell at the cursor can be put into the scenario."""
        return bool(self.at_cursor())

    def at_cursor(self) -> list[tuple[str, Any]]:
        """The swept keys and their values of the cell at the cursor; empty if the chart shows one
        cell.
        """
        frame = self.frame
        if frame is None or frame.settings_at is None or self._at is None:
            return []
        return frame.settings_at(self._at, max(0, self._picked))

    # The numbers.

    def table(self, data: ChartData) -> ChartTable | None:
        """The numbers behind the views as a table; None before there are any."""
        self._data = data
        self._make()
        if (frame := self.frame) is None:
            return None
        return frame.views[self._view].table or frame.table


def _same(values: Sequence[Any], others: Sequence[Any]) -> bool:
    """True if these are the same objects; text, numbers and tuples are compared by value."""
    return len(values) == len(others) and all(
        a is b or (isinstance(a, str | int | tuple) and a == b)
        for a, b in zip(values, others, strict=True)
    )
