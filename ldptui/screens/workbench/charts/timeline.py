"""The charts of a campaign's rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from textual.geometry import Size

from ....catalogue import is_ours, metric_words
from ....widgets.choice_bar import Choices
from ....widgets.cursor import READ
from ....widgets.plot import ChartView, charset_of
from .box import ChartBox
from .shown import Shown

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....charts.series import Plot

COURSES: Final = {
    "estimates": "estimates",
    "gain": "gain",
    "ranks": "ranks",
    "top": "top k",
    "spent": "privacy",
}
"""The courses over the rounds, with the word for each; a metric in Python is one more."""


class TimelineCharts(ChartBox):
    """One quantity over the rounds, and the next one below it where there is room."""

    leads: ClassVar[bool] = False  # the keys go through the rounds, whose place the cursor is
    tall = 33

    def __init__(self) -> None:
        super().__init__("timeline-box", "rounds", "rounds-below")
        self._target: int | None = None  # the place of the one whose estimates are shown

    # Keys.

    @property
    def views(self) -> Mapping[str, str]:
        rounds = self._shown.rounds
        measured = () if rounds is None else rounds.metrics
        has_targets = rounds is None or bool(rounds.targets)
        courses = COURSES if has_targets else {"spent": COURSES["spent"]}
        return {**courses, **{name: metric_words(name).name for name in measured
                              if not is_ours(name)}}  # fmt: skip

    @property
    def walks(self) -> bool:
        """True if there are targets to walk through."""
        return self.view == "estimates" and self._shown.rounds is not None

    def walk(self, by: int) -> None:
        """Show another target alone, or all of them."""
        rounds = self._shown.rounds
        if rounds is not None:
            at = -1 if self._target is None else self._target
            at = (at + 1 + by) % (len(rounds.targets) + 1) - 1
            self._target = None if at < 0 else at

    def switches(self) -> Choices:
        if self._shown.rounds is None:
            return ()
        targets: Choices = (("cohort", "j k target"),) if self.walks else ()
        return (*super().switches(), *targets)

    # The cursor: the round that the pane goes through.

    def stops(self) -> tuple[()]:
        """None: the bar below the charts has the rounds."""
        return ()

    def stop_at(self, place: object, chart: ChartView) -> None:
        """None: the pane asks for the round of a click."""

    def round_at(self, message: ChartView.Pointed) -> int | None:
        """The round of a click; None for one on another chart."""
        rounds, place = self._shown.rounds, message.place
        if rounds is None or message.view not in self.charts() or not isinstance(place, tuple):
            return None
        return max(0, min(len(rounds) - 1, round(float(place[0]))))

    def _words(self, room: Size) -> str:
        """The numbers of the round at the cursor, a line each; "" where all are pooled."""
        at, rounds = self._shown.cursor, self._shown.rounds
        if at is None or rounds is None or at >= len(rounds):
            return ""
        from ....charts.figures.round_table import round_numbers
        from ....charts.figures.table import reading

        targets = self.view in ("estimates", "ranks")
        numbers = round_numbers(
            rounds, at, _labels(self._shown), _top_k(self._shown), targets_first=targets
        )
        picked = self._target if targets and self._target in range(len(rounds.targets)) else 0
        size = room.width, max(1, room.height // READ)
        return reading(numbers, numbers.rows, 1, picked or 0, size, charset_of(self.app))

    # The picture.

    def why_none(self) -> str:
        return self._shown.empty if self._shown.rounds is None else ""

    def state(self) -> tuple[object, ...]:
        return (self._shown.base, self._shown.cursor, self._target)

    def picture(self, view: str, _: object) -> Plot:
        """One quantity over the rounds, with its cursor at the round that is looked at."""
        at = self._shown.cursor
        return replace(self._course(view), cursor=None if at is None else float(at))

    def _course(self, view: str) -> Plot:
        from ....charts.figures import rounds as figures

        rounds, base = self._shown.rounds, self._shown.base
        assert rounds is not None
        assert base is not None  # whose rounds they are
        labels, top = _labels(self._shown), _top_k(self._shown)
        match view:
            case "estimates":
                chosen = self._target if self._target in range(len(rounds.targets)) else None
                return figures.estimates(rounds, labels, chosen)
            case "gain":
                return figures.gain(rounds, base.metrics.get("gain"))
            case "ranks":
                return figures.ranks(rounds, labels, base.domain_size, top)
            case "top":
                return figures.in_top(rounds, top)
            case "spent":
                return figures.spent(rounds)
            case _:
                return figures.in_words(rounds, view, base.metrics.get(view))

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        return (shown.rounds,)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.round_table import table

        rounds = shown.rounds
        return None if rounds is None else table(rounds, _labels(shown), _top_k(shown))


def _labels(shown: Shown) -> dict[int, str]:
    """The names of the items that have frequencies."""
    frequencies = shown.frequencies
    return (
        {} if frequencies is None else dict(zip(frequencies.items, frequencies.labels, strict=True))
    )


def _top_k(shown: Shown) -> int:
    assert shown.base is not None
    return min(int(shown.base.parameters.get("simulate.top_k", 20)), shown.base.domain_size)
