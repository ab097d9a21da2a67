"""The charts of the estimates: by rank, as bars, as residuals, as the bits of cohorts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult

from ....widgets.blank import Area
from ....widgets.choice_bar import Choices
from ....widgets.cursor import nearest
from ....widgets.plot import ChartView, palette_of
from .box import ChartBox
from .shown import Shown, of_round

if TYPE_CHECKING:
    from ldptui.core.view import Frequencies

    from ....charts.figures import Table
    from ....charts.series import Chart

VIEWS: Final = {
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

FEW: Final = 12
"""Items that bars alone show: fewer make no curve over their ranks."""

BARS: Final = 40
"""The width at which bars still show an estimate and its change."""


class FrequencyCharts(ChartBox):
    """One view at a time, or two where there is room.

    The cursor stands on an item, whatever the view; on a bit among bits.
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
    picks = False
    least = 3

    def __init__(self) -> None:
        super().__init__("frequencies", "rank", "bits", "bars", "residuals")
        self._rank, self._bits, self._bars, self._residuals = self._pictures
        self._cohort = 0

    def compose(self) -> ComposeResult:
        yield Area(*self._pictures)
        yield self._readout

    # Keys.

    @property
    def views(self) -> Mapping[str, str]:
        """The views; two charts need room, and bits a protocol with Bloom filters."""
        missing = set() if self._room_for_two else {"both"}
        frequencies = self._shown.frequencies
        if frequencies is not None and frequencies.domain_size < FEW:
            missing |= {"both", "rank"}
        if self._shown.bits is None and self._shown.frequencies is not None:
            missing.add("bits")
        order = VIEWS if palette_of(self.app).coloured else ("bars", *VIEWS)
        return {view: VIEWS[view] for view in order if view not in missing}

    def next_view(self) -> None:
        if "bits" in (self.view, self._next):
            self._at = None  # a bit is no item
        super().next_view()

    @property
    def walks(self) -> bool:
        """True if there are cohorts or items to walk through."""
        return self.view == "bits" or self.points

    def walk(self, by: int) -> None:
        """Show another cohort; go to another item."""
        bits = self._shown.bits
        if self.view != "bits":
            self.step("step", by)
        elif bits is not None:
            self._cohort = min(max(self._cohort + by, 0), bits.shown - 1)

    def switches(self) -> Choices:
        cohorts: Choices = (("cohort", "j k cohort"),) if self.view == "bits" else ()
        return (*super().switches(), *cohorts)

    # The cursor.

    def stops(self) -> Sequence[int]:
        """The items in the order of the view, by their indices; the bits of a cohort."""
        from ....charts.figures.frequencies import by_rank

        if self.view == "bits":
            return range(self._shown.bits.bits) if self._shown.bits is not None else ()
        frequencies, _ = self._shown.at_cursor()
        if frequencies is None:
            return ()
        if self.view == "residuals":
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
        if self.view == "bits" and bits is not None:
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
            if chart is self._bars and self.view == "bits":
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

    def lay_out(self, *, there: bool) -> None:
        view = self.view
        # Words for want of a chart have all the room.
        two = there and (view == "both" or (view == "bits" and self._room_for_two))
        area = self.query_one(Area)
        area.set_class(two and self._beside, "-beside")
        area.set_class(two and self._stacked, "-stacked")
        self._rank.display = view in ("both", "rank")
        self._bars.display = two or view == "bars"
        self._residuals.display = view == "residuals"
        self._bits.display = view == "bits"
        beside = two and self._beside
        self._bars.styles.width = max(BARS, self._room.width * 48 // 100) if beside else "1fr"

    def why_none(self) -> str:
        frequencies, _ = self._shown.at_cursor()
        return self._shown.empty if frequencies is None else ""

    def state(self) -> tuple[object, ...]:
        return (self._cohort,)

    def drawn(self) -> Sequence[Chart]:
        self._read(self._room)
        frequencies, round_words = self._shown.at_cursor()
        assert frequencies is not None
        if self.view == "bits":
            return self._drawn_bits(frequencies)
        return [self._picture(each, frequencies, round_words) for each in self.charts()]

    def _picture(self, picture: ChartView, frequencies: Frequencies, words: str) -> Chart:
        """The chart of the estimates in one of the pictures; words : the round that they are of."""
        from ....charts import figures
        from ....charts.figures.frequencies import by_rank

        shown = self._shown
        at = None if self._at is None else _place(frequencies, self._at)
        more: dict[str, Any] = {"overlays": shown.overlays_at_cursor(), "note": shown.note}
        if picture is self._rank:
            rank = None if at is None else by_rank(frequencies).index(at) + 1.0
            return of_round(replace(figures.rank_plot(frequencies, **more), cursor=rank), words)
        if picture is self._bars:
            compact = self.view == "both" and self._beside
            bars = figures.top_bars(frequencies, self._rows(), compact=compact, at=at, **more)
            return of_round(bars, words)
        cell = shown.cell or shown.base
        wanted = cell.wanted if cell is not None else None
        columns = max(16, self._room.width - 12)
        plot = figures.residuals(frequencies, columns, wanted, **more)
        item = None if at is None else float(frequencies.items[at])
        return of_round(replace(plot, cursor=item), words)

    def _drawn_bits(self, frequencies: Frequencies) -> list[Chart]:
        from ....charts.figures.bits import bit_bars, bit_plot

        bits, bit = self._shown.bits, self._at
        assert bits is not None  # where there are none, there is no such view
        cohort, attacked = min(self._cohort, bits.shown - 1), bool(frequencies.targets)
        columns = max(8, self._room.width // 2 - 8)
        plot = bit_plot(bits, cohort, columns, attacked=attacked, note=self._shown.note)
        bars = bit_bars(bits, cohort, self._rows(), attacked=attacked)
        named = replace(bars, cursor="" if bit is None else str(bit))
        both: list[Chart] = [replace(plot, cursor=bit), named]
        return both[: len(self.charts())]

    def _rows(self) -> int:
        """The number of bars that have room, at least 4."""
        height = self._room.height - self._readout.rows
        if self.view in ("both", "bits") and self._stacked:
            height = (height - 1) // 2
        return max(4, height - 4)  # title, heading, the rest, the note

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
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
