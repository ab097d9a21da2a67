"""The estimates of items in all views: as bars, by rank, as residuals, as the bits of cohorts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from ldptui.core.view import BitCounts, FrequencySummary

from ..chart_data import ChartData
from ..series import Bars, Plot
from .bit_counts import bit_plot, bit_table
from .frame import ChartOption, Frame, FrameView, Room, add_to_title, chosen_option
from .frequencies import by_rank, frequency_table, item_table, top_bars, trials_note
from .ranks import rank_plot, residuals
from .setting_words import base_words
from .table import ChartTable

VIEWS: Final = {"bars": "bars", "rank": "rank", "residuals": "residuals", "bits": "bits"}
FEW: Final = 12
"""Items that bars alone show: fewer make no curve over their ranks."""
AROUND: Final = 4
"""Rows around bars: title, heading, the rest, the note."""
MOST: Final = 10
"""Bars, at the most, if they would take more than two fifths of the height."""


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The chart of the estimates in the round or cell at the cursor, item by item."""
    seen, words = data.at_cursor()
    if seen is None:
        return ""
    bits, overlays = data.bits, data.overlays_at_cursor()
    shown, cell = seen, data.base
    wanted = cell.wanted if cell is not None else None
    ranked = [shown.items[place] for place in by_rank(shown)]

    def draw_bars(at: int | None, room: Room) -> Bars:
        rows = max(4, room[1] - AROUND)
        rows = min(rows, max(MOST, rows * 2 // 5))
        bars = top_bars(shown, rows, at=_place(shown, at), overlays=overlays)
        return add_to_title(replace(bars, gap=1), words)

    def draw_rank(at: int | None, _: Room) -> Plot:
        place = None if at not in ranked else ranked.index(at) + 1.0
        return add_to_title(replace(rank_plot(shown, overlays), cursor=place), words)

    def draw_residuals(at: int | None, _: Room) -> Plot:
        plot = residuals(shown, wanted, overlays)
        item = None if at not in shown.items else float(at or 0)
        return add_to_title(replace(plot, cursor=item), words)

    def read(at: int) -> ChartTable | None:
        place = _place(shown, at)
        return None if place is None else item_table(shown, place, overlays)

    def click_bar(place: object, _: Room) -> tuple[int, int] | None:
        known = place in shown.labels
        return (shown.items[shown.labels.index(str(place))], 0) if known else None

    def click_rank(place: tuple[float, float], _: Room) -> tuple[int, int]:
        return ranked[max(1, min(len(ranked), round(place[0]))) - 1], 0

    views = {
        "bars": FrameView("bars", draw_bars, ranked, read, click_bar),
        "rank": FrameView("rank", draw_rank, ranked, read, click_rank),
        "residuals": FrameView("residuals", draw_residuals, shown.items, read),
    }
    if shown.domain_size < FEW:
        del views["rank"]

    def all_items() -> ChartTable:
        return add_to_title(frequency_table(shown, overlays), words)

    trials = trials_note(shown.trials).partition(" ±")[0]
    aside = "; ".join(filter(None, (trials, base_words(data.scenario))))
    if bits is None:
        return Frame(all_items, views, least=3, stride=1, aside=aside)
    cohorts = {str(at): f"cohort {at}" for at in range(bits.cohort_count)}
    cohort = chosen_option(cohorts, chosen.get("walk"))
    views["bits"] = _bits_view(bits, int(cohort.chosen), attacked=bool(shown.targets))
    is_bits = chosen.get("view") == "bits"
    numbers = bit_table(bits) if is_bits else all_items
    options: dict[str, ChartOption] = {"walk": cohort} if is_bits else {}
    return Frame(numbers, views, options, least=3, stride=1, aside=aside)


def _bits_view(bits: BitCounts, cohort: int, *, attacked: bool) -> FrameView:

    def draw(at: int | None, room: Room) -> Plot:
        plot = bit_plot(bits, cohort, max(8, room[0] - 8), attacked=attacked)
        return replace(plot, cursor=None if at is None else float(at))

    def read(at: int) -> ChartTable:
        table, row = bit_table(bits), cohort * bits.bits + at
        return replace(table, rows=table.rows[row : row + 1] if at < bits.bits else ())

    return FrameView("bits", draw, range(bits.bits), read)


def _place(frequencies: FrequencySummary, item: int | None) -> int | None:
    """The place of an item among those shown."""
    return frequencies.items.index(item) if item in frequencies.items else None
