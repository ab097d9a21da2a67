"""The charts of the estimates: by rank, as bars, as residuals, as the bits of RAPPOR's cohorts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from textual.app import ComposeResult
from textual.geometry import Size

from ....terminal.keyboard import VIEW, key_of
from ....widgets.choice_bar import Choices
from ....widgets.plot import ChartView
from ..blank import Area
from .shown import LOADING, Shown, of_round

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....session.snapshot import Frequencies

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


class FrequencyCharts(Area):
    """One view at a time, or two where there is room; `show` draws what has changed."""

    DEFAULT_CSS = """
    FrequencyCharts {
        layout: vertical;
        &.-beside { layout: horizontal; }
        &.-beside #bars { margin-left: 1; }
        &.-stacked #bars { margin-top: 1; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rank = ChartView(id="rank", empty=LOADING)
        self._bits = ChartView(id="bits", empty=LOADING)
        self._bars = ChartView(id="bars", empty=LOADING)
        self._residuals = ChartView(id="residuals", empty=LOADING)
        self._shown, self._room = Shown(), Size()
        self._chosen: View = "both"
        self._cohort = 0
        self._drawn: tuple[object, ...] = ()  # what the charts were made of

    def compose(self) -> ComposeResult:
        yield from (self._rank, self._bits, self._bars, self._residuals)

    def charts(self) -> list[ChartView]:
        """Those that are shown."""
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
        self._chosen = views[(at + 1) % len(views)]

    @property
    def walks(self) -> bool:
        """True if there are cohorts to walk through."""
        return self._view == "bits"

    def walk(self, by: int) -> None:
        """Show another cohort."""
        bits = self._shown.bits
        if bits is not None:
            self._cohort = min(max(self._cohort + by, 0), bits.shown - 1)

    def switches(self) -> Choices:
        cohorts: Choices = (("cohort", "j k cohort"),) if self.walks else ()
        return (("view", f"{key_of(self.app, *VIEW)} {VIEWS[self._view]}"), *cohorts)

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
        two = view == "both" or (view == "bits" and self._room_for_two)
        self.set_class(two and self._beside, "-beside")
        self.set_class(two and self._stacked, "-stacked")
        self._rank.display = view in ("both", "rank")
        self._bars.display = two or view == "bars"
        self._residuals.display = view == "residuals"
        self._bits.display = view == "bits"
        beside = two and self._beside
        self._bars.styles.width = max(BARS, room.width * 48 // 100) if beside else "1fr"
        state = (*self.numbers(shown), shown.note, shown.empty, room, view, self._cohort)
        if not room.width or state == self._drawn:
            return
        self._drawn = state
        frequencies, round_words = shown.at_cursor()
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

        shown, view = self._shown, self._view
        more: dict[str, Any] = {"overlays": shown.overlays_at_cursor(), "note": shown.note}
        if self._rank.display:
            self._rank.chart = of_round(figures.rank_plot(frequencies, **more), round_words)
        if self._bars.display:
            compact = view == "both" and self._beside
            bars = figures.top_bars(frequencies, self._rows(), compact=compact, **more)
            self._bars.chart = of_round(bars, round_words)
        if self._residuals.display:
            cell = shown.cell or shown.base
            wanted = cell.wanted if cell is not None else None
            columns = max(16, self._room.width - 12)
            plot = figures.residuals(frequencies, columns, wanted, **more)
            self._residuals.chart = of_round(plot, round_words)

    def _draw_bits(self, frequencies: Frequencies) -> None:
        from ....charts.figures.bits import bit_bars, bit_plot

        bits = self._shown.bits
        if bits is None:
            return
        cohort, attacked = min(self._cohort, bits.shown - 1), bool(frequencies.targets)
        columns = max(8, self._room.width // 2 - 8)
        note = self._shown.note
        self._bits.chart = bit_plot(bits, cohort, columns, attacked=attacked, note=note)
        if self._bars.display:
            self._bars.chart = bit_bars(bits, cohort, self._rows(), attacked=attacked)

    def _rows(self) -> int:
        """The number of bars that have room, at least 4."""
        height = self._room.height
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
