"""The charts of the estimates: by rank, as bars, as residuals, as the bits of RAPPOR's cohorts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.geometry import Size

from ....terminal.keyboard import VIEW, key_of
from ....widgets.blank import Area
from ....widgets.choice_bar import Choices
from ....widgets.cursor import Pointed, nearest
from ....widgets.plot import ChartView
from .shown import Shown, of_round

if TYPE_CHECKING:
    from ldptui.core.view import Frequencies

    from ....charts.figures import Table

View = Literal["both", "bars", "rank", "residuals", "bits"]

VIEWS: Final[dict[View, str]] = {
    "both": "rank and bars",
    "bars": "bars",
    "rank": "rank",
    "residuals": "residuals",
    "bits": "bits",
}

BESIDE: Final = 72
"""From this width two charts stand side by side."""

STACKED: Final = 33
"""From this height the rank plot stands over the bars where it cannot stand beside them."""

BARS: Final = 40
"""The width at which bars still show an estimate and its change."""


class FrequencyCharts(Pointed):
    """One view at a time, or two where there is room; `show` draws what has changed.

    The cursor stands on an item, whatever the view; on a bit among RAPPOR's bits.
    """

    DEFAULT_CSS = """
    FrequencyCharts > Area {
        layout: vertical;
        &.-beside { layout: horizontal; }
        &.-beside #bars { margin-left: 1; }
        &.-stacked #bars { margin-top: 1; }
    }
    """

    leads: ClassVar[bool] = False  # rounds, and the cells of a sweep, are gone through before
    picks: ClassVar[bool] = False
    least: ClassVar[int] = 3

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._shown = Shown()
        self._rank = ChartView(id="rank")
        self._bits = ChartView(id="bits")
        self._bars = ChartView(id="bars")
        self._residuals = ChartView(id="residuals")
        self._room = Size()
        self._chosen: View = "both"
        self._cohort = 0
        self._drawn: tuple[object, ...] = ()  # what the charts were made of

    def compose(self) -> ComposeResult:
        yield Area(self._rank, self._bits, self._bars, self._residuals)
        yield self._readout

    def charts(self) -> list[ChartView]:
        """The charts that are shown."""
        every = (self._rank, self._bits, self._bars, self._residuals)
        return [chart for chart in every if chart.display]

    # Keys.

    @property
    def _view(self) -> View:
        """The view chosen, or where it cannot be shown now another one."""
        view = "both" if self._chosen == "bits" and self._no_bits else self._chosen
        return "bars" if view == "both" and not self._room_for_two else view

    @property
    def _no_bits(self) -> bool:
        """True if the run shown has estimates of a protocol without Bloom filters."""
        return self._shown.bits is None and self._shown.frequencies is not None

    def next_view(self) -> None:
        missing = {"both"} if not self._room_for_two else set()
        missing |= {"bits"} if self._no_bits else set()
        views = [view for view in VIEWS if view not in missing]
        at = views.index(self._view) if self._view in views else -1
        if "bits" in (self._view, views[(at + 1) % len(views)]):
            self._at = None  # a bit is no item
        self._chosen = views[(at + 1) % len(views)]

    @property
    def walks(self) -> bool:
        """True if there are cohorts or items to walk through."""
        return self._view == "bits" or self.points

    def walk(self, by: int) -> None:
        """Show another cohort; go to another item."""
        bits = self._shown.bits
        if self._view != "bits":
            self.step("step", by)
        elif bits is not None:
            self._cohort = min(max(self._cohort + by, 0), bits.shown - 1)

    def switches(self) -> Choices:
        cohorts: Choices = (("cohort", "j k cohort"),) if self._view == "bits" else ()
        return (("view", f"{key_of(self.app, *VIEW)} {VIEWS[self._view]}"), *cohorts)

    # The cursor.

    def stops(self) -> Sequence[int]:
        """The items in the order of the view, by their indices; the bits of a cohort."""
        from ....charts.figures.frequencies import by_rank

        if self._view == "bits":
            return range(self._shown.bits.bits) if self._shown.bits is not None else ()
        frequencies, _ = self._shown.at_cursor()
        if frequencies is None:
            return ()
        if self._view == "residuals":
            return frequencies.items
        return [frequencies.items[place] for place in by_rank(frequencies)]

    @property
    def points(self) -> bool:
        """True if there are items, or bits, to go through."""
        return self._shown.frequencies is not None

    def table_at(self, at: int) -> Table | None:
        """The estimates of an item, a row for each arm and each run; the counts of a bit."""
        from ....charts.figures.bits import bit_table
        from ....charts.figures.frequencies import item_table

        bits = self._shown.bits
        if self._view == "bits" and bits is not None:
            table = bit_table(bits)
            row = min(self._cohort, bits.shown - 1) * bits.bits + at
            return replace(table, rows=table.rows[row : row + 1] if at < bits.bits else ())
        frequencies, _ = self._shown.at_cursor()
        place = None if frequencies is None else _place(frequencies, at)
        if frequencies is None or place is None:
            return None
        return item_table(frequencies, place, self._shown.overlays_at_cursor())

    def stop_at(self, place: object, chart: ChartView) -> int | None:
        """The item, or the bit, that was clicked at."""
        frequencies, _ = self._shown.at_cursor()
        if isinstance(place, str):
            if chart is self._bars and self._view == "bits":
                return int(place)
            labels = frequencies.labels if frequencies is not None else ()
            return (
                frequencies.items[labels.index(place)] if frequencies and place in labels else None
            )
        if not isinstance(place, tuple):
            return None
        stops = self.stops()
        if chart is self._rank:
            return stops[max(1, min(len(stops), round(place[0]))) - 1] if stops else None
        at = nearest(place[0], stops)
        return None if at is None else int(at)

    # The picture.

    @property
    def _beside(self) -> bool:
        return self._room.width >= BESIDE

    @property
    def _stacked(self) -> bool:
        return not self._beside and self._room.height >= STACKED

    @property
    def _room_for_two(self) -> bool:
        return self._beside or self._stacked

    def show(self, shown: Shown, room: Size) -> None:
        """Draw the estimates in a box of this size; (0, 0): there is none yet, nothing is drawn."""
        self._shown, self._room = shown, room
        view = self._view
        frequencies, round_words = shown.at_cursor()
        two = view == "both" or (view == "bits" and self._room_for_two)
        two = two and frequencies is not None  # words for want of a chart have all the room
        area = self.query_one(Area)
        area.set_class(two and self._beside, "-beside")
        area.set_class(two and self._stacked, "-stacked")
        self._rank.display = view in ("both", "rank")
        self._bars.display = two or view == "bars"
        self._residuals.display = view == "residuals"
        self._bits.display = view == "bits"
        beside = two and self._beside
        self._bars.styles.width = max(BARS, room.width * 48 // 100) if beside else "1fr"
        state = (*self.numbers(shown), shown.note, shown.empty, room, view, self._cohort, self._at)
        if not room.width or state == self._drawn:
            return
        self._drawn = state
        self._read(room)
        if frequencies is None:
            self._draw_nothing(shown.empty)
        elif view == "bits":
            self._draw_bits(frequencies)
        else:
            self._draw(frequencies, round_words)

    def _draw_nothing(self, words: str) -> None:
        for view in (self._rank, self._bits, self._bars, self._residuals):
            if view.chart is not None:
                view.chart = None
            if view.display:  # said once
                view.empty, words = words, ""

    def _draw(self, frequencies: Frequencies, round_words: str) -> None:
        from ....charts import figures
        from ....charts.figures.frequencies import by_rank

        shown, view = self._shown, self._view
        at = None if self._at is None else _place(frequencies, self._at)
        more: dict[str, Any] = {"overlays": shown.overlays_at_cursor(), "note": shown.note}
        if self._rank.display:
            ranks = figures.rank_plot(frequencies, **more)
            rank = None if at is None else by_rank(frequencies).index(at) + 1.0
            self._rank.chart = of_round(replace(ranks, cursor=rank), round_words)
        if self._bars.display:
            compact = view == "both" and self._beside
            bars = figures.top_bars(frequencies, self._rows(), compact=compact, at=at, **more)
            self._bars.chart = of_round(bars, round_words)
        if self._residuals.display:
            cell = shown.cell or shown.base
            wanted = cell.wanted if cell is not None else None
            columns = max(16, self._room.width - 12)
            plot = figures.residuals(frequencies, columns, wanted, **more)
            item = None if at is None else float(frequencies.items[at])
            self._residuals.chart = of_round(replace(plot, cursor=item), round_words)

    def _draw_bits(self, frequencies: Frequencies) -> None:
        from ....charts.figures.bits import bit_bars, bit_plot

        bits = self._shown.bits
        if bits is None:
            return
        cohort, attacked = min(self._cohort, bits.shown - 1), bool(frequencies.targets)
        columns = max(8, self._room.width // 2 - 8)
        note, bit = self._shown.note, self._at
        plot = bit_plot(bits, cohort, columns, attacked=attacked, note=note)
        self._bits.chart = replace(plot, cursor=bit)
        if self._bars.display:
            bars = bit_bars(bits, cohort, self._rows(), attacked=attacked)
            self._bars.chart = replace(bars, cursor="" if bit is None else str(bit))

    def _rows(self) -> int:
        """The number of bars that have room, at least 4."""
        height = self._room.height - self._readout.rows
        if self._view in ("both", "bits") and self._stacked:
            height = (height - 1) // 2
        return max(4, height - 4)  # title, heading, the rest, the note

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the charts and their table are drawn from."""
        bits = shown.bits if self._chosen == "bits" else None
        return (*shown.at_cursor(), shown.overlays_at_cursor(), bits)

    def table(self, shown: Shown) -> Table | None:
        from ....charts import figures
        from ....charts.figures.bits import bit_table

        if shown.bits is not None and self._chosen == "bits":
            return bit_table(shown.bits)
        frequencies, round_words = shown.at_cursor()
        if frequencies is None:
            return None
        return of_round(
            figures.frequency_table(frequencies, shown.overlays_at_cursor()), round_words
        )


def _place(frequencies: Frequencies, item: int) -> int | None:
    """The place of an item among those shown."""
    return frequencies.items.index(item) if item in frequencies.items else None
