"""The widget of a chart: its pictures one below the other, and what is read at its cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.geometry import Size

from ....terminal.keyboard import VIEW, key_of
from ....widgets.choice_bar import Choices
from ....widgets.cursor import Pointed
from ....widgets.plot import ChartView
from .shown import Shown

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....charts.series import Chart


class ChartBox(Pointed):
    """One chart of a run: a view of it at a time, in pictures; `show` draws what has changed.

    A kind of chart tells its views, why there is nothing to draw, its pictures, and its numbers.
    """

    DEFAULT_CSS = """
    ChartBox > ChartView.-below { margin-top: 1; }
    """

    tall: ClassVar[int] = 0
    """Rows from which the next view stands below the one that is shown; 0: it never does."""

    def __init__(self, name: str, *pictures: str) -> None:
        """name : of the box. pictures : the names of what it draws, from top to bottom."""
        super().__init__(id=name)
        self._shown, self._room = Shown(), Size()
        self._pictures = [ChartView(id=each) for each in pictures]
        for below in self._pictures[1:]:
            below.add_class("-below")
        self._chosen = ""  # the view, by hand
        self._drawn: tuple[object, ...] = ()  # what the pictures were made of

    def compose(self) -> ComposeResult:
        yield from self._pictures
        yield self._readout

    def charts(self) -> list[ChartView]:
        """The pictures that are shown."""
        return [picture for picture in self._pictures if picture.display]

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
        at = self._pointed()
        views = (self.view, self._next)[: len(self.charts())]
        return [self.picture(view, at) for view in views]

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
