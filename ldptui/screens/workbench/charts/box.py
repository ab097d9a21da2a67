"""The widget of a chart: its pictures one below the other, and what is read at its cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.geometry import Size

from ....charts.series import Panels, Plot
from ....terminal.keyboard import VIEW, key_of
from ....widgets.choice_bar import Choices
from ....widgets.cursor import CursorCharts, nearest
from ....widgets.plot import ChartView
from .shown import Shown, of_round

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....charts.figures.table import Frame
    from ....charts.kinds import Kind
    from ....charts.series import Chart, Place


class ChartBox(CursorCharts):
    """One chart of a run: a view of it at a time, in pictures; `show` draws what has changed.

    A kind of chart tells its views, why there is nothing to draw, its pictures, and its numbers.
    """

    DEFAULT_CSS = """
    ChartBox > ChartView.-below { margin-top: 1; }
    """

    tall: int = 0
    """Rows from which the next view stands below the one that is shown; 0: it never does."""

    def __init__(self, name: str, *pictures: str) -> None:
        """name : of the box. pictures : the names of what it draws, from top to bottom."""
        super().__init__(id=name)
        self._shown, self._room = Shown(), Size()
        first, *below = pictures
        self._pictures = [
            ChartView(id=first),
            *(ChartView(id=each, classes="-below") for each in below),
        ]
        self._chosen = ""  # the view, by hand
        self._drawn: tuple[object, ...] = ()  # what the pictures were made of

    def compose(self) -> ComposeResult:
        yield from self._pictures
        yield self._readout

    def charts(self) -> list[ChartView]:
        """The pictures that are shown, once the box is on the screen."""
        return [picture for picture in self._pictures if picture.display and picture.is_mounted]

    # The views.

    @property
    def views(self) -> Mapping[str, str]:
        """The views that there are now, with the words for each."""
        return {}

    @property
    def view(self) -> str:
        """The view that is shown: chosen by hand, else the first; "" where there is none."""
        views = self.views
        return self._chosen if self._chosen in views else next(iter(views), "")

    @property
    def _next(self) -> str:
        views = [*self.views]
        return views[(views.index(self.view) + 1) % len(views)] if views else ""

    def next_view(self) -> None:
        self._chosen = self._next

    def switches(self) -> Choices:
        """What keys change, beside the tabs."""
        view = self.view
        return (("view", f"{key_of(self.app, *VIEW)} {self.views[view]}"),) if view else ()

    # The cursor: it stops where the table has numbers, if the kind has no stops of its own.

    def stops(self) -> Sequence[Any]:
        from ....charts.figures.table import stops

        table = self.table(self._shown)
        found = stops(table, self.column) if table is not None else ()
        return sorted(stop for stop in found if isinstance(stop, int | float))

    def table_at(self, at: Any) -> Table | None:
        from ....charts.figures.table import rows_at

        table = self.table(self._shown)
        if table is None:
            return None
        return replace(table, rows=tuple(rows_at(table, (self.column, at))))

    def stop_at(self, place: Place, chart: ChartView) -> Any:
        """The stop nearest to a click."""
        plot = chart.chart.plots[0] if isinstance(chart.chart, Panels) else chart.chart
        if not isinstance(plot, Plot) or not isinstance(place, tuple):
            return None
        return nearest(float(place[0]), self.stops(), log=plot.x.log)

    # The pictures.

    def show(self, shown: Shown, room: Size) -> None:
        """Draw the chart in a box of this size; (0, 0): there is none yet, nothing is drawn."""
        self._shown, self._room = shown, room
        why = self.why_none()
        self.lay_out(there=not why)
        if not room.width:
            return
        if why:
            self._draw_nothing(why)
            return
        state = (*self.numbers(shown), *self.state(), shown.note, self.view)
        state = (*state, self._at, self._picked, room)
        if state == self._drawn:
            return
        self._drawn = state
        drawn = self.drawn()
        if not drawn:
            self._draw_nothing(shown.empty)
        for picture, chart in zip(self.charts(), drawn, strict=False):
            picture.chart = chart

    def lay_out(self, *, there: bool) -> None:
        """Give the pictures their places. there : False where there is nothing to draw."""
        for below in self._pictures[1:]:
            below.display = there and self._room.height >= self.tall

    def why_none(self) -> str:
        """The reason why there is nothing to draw; "" where there is something."""
        raise NotImplementedError

    def state(self) -> tuple[object, ...]:
        """What the pictures depend on besides the numbers, the view, the cursor and the room."""
        return ()

    def drawn(self) -> Sequence[Chart]:
        """A chart for each of the pictures that are shown; none where it would be empty."""
        at, note = self._pointed(), self._shown.note
        views = (self.view, self._next)[: len(self.charts())]
        charts = [self.picture(view, at) for view in views]
        return [replace(each, note="; ".join(filter(None, (each.note, note)))) for each in charts]

    def picture(self, view: str, at: object) -> Chart:
        """A view with its cursor at a stop."""
        raise NotImplementedError

    def _pointed(self) -> object:
        """The stop at the cursor, after what is there was read; None where that is nothing."""
        return self._at if self._read(self._room) else None

    def _draw_nothing(self, words: str) -> None:
        self._drawn = ()
        self._readout.show("")
        for picture in self._pictures:
            if picture.chart is not None:
                picture.chart = None
            if picture.display:  # said once
                picture.empty, words = words, ""

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the pictures and their table are drawn from."""
        raise NotImplementedError

    def table(self, shown: Shown) -> Table | None:
        """All numbers behind the pictures; None before there are any."""
        raise NotImplementedError


class FrameBox(ChartBox):
    """A chart that its row tells whole: its frame is drawn, listed, and read at a cursor."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(f"{kind.name}-box", kind.name, *[f"{kind.name}-below"] * bool(kind.tall))
        self.tall, self.picks = kind.tall, False
        self._kind = kind
        self._frame: Frame | None = None
        self._made_of: object = None

    def _frame_of(self, shown: Shown) -> Frame | None:
        """The frame, made once of the same values."""
        numbers = shown.numbers(self._kind)
        if numbers != self._made_of:
            self._made_of, self._frame = numbers, self._kind.framed(numbers)
            if (frame := self._frame) is not None:
                self.column, self.picks, self.least = frame.column, frame.picks, frame.least
        return self._frame

    @property
    def views(self) -> Mapping[str, str]:
        return self._frame.views if self._frame is not None else {}

    # The cursor.

    def stops(self) -> Sequence[Any]:
        frame = self._frame_of(self._shown)
        return super().stops() if frame is None or frame.stops is None else frame.stops

    def table_at(self, at: Any) -> Table | None:
        frame = self._frame_of(self._shown)
        if frame is None or frame.read is None:
            return super().table_at(at)
        return frame.read(at) if at in self.stops() else None

    def stop_at(self, place: Place, chart: ChartView) -> Any:
        frame = self._frame_of(self._shown)
        if frame is None or frame.click is None:
            return super().stop_at(place, chart)
        view = self.view if chart is self._pictures[0] else self._next
        found = frame.click(view, place, self._rows) if isinstance(place, tuple) else None
        if found is None:
            return None
        stop, self._picked = found
        return stop

    # The pictures.

    @property
    def _rows(self) -> int:
        """The rows that a picture has."""
        return self._room.height - self._readout.rows

    def why_none(self) -> str:
        if self._frame_of(self._shown) is not None:
            return ""
        waits = self._kind.waiting and self._shown.frequencies is not None
        return self._kind.waiting if waits else self._shown.empty

    def state(self) -> tuple[object, ...]:
        return (self._words_of_cell,)

    @property
    def _words_of_cell(self) -> str:
        return self._shown.cell_words if self._kind.at_cell else ""

    def picture(self, view: str, at: Any) -> Chart:
        """A view, with what its estimates are of where that is not the draft's own cell."""
        frame = self._frame
        assert frame is not None
        if frame.draw is not None:
            return of_round(frame.draw(view, at, self._rows), self._words_of_cell)
        assert frame.chart is not None
        return replace(frame.chart, cursor=at) if isinstance(frame.chart, Plot) else frame.chart

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        return (shown.numbers(self._kind),)

    def table(self, shown: Shown) -> Table | None:
        frame = self._frame_of(shown)
        return None if frame is None else of_round(frame.table, self._words_of_cell)
