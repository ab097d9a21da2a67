"""The charts of a campaign's rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.geometry import Size

from ....catalogue import is_ours, metric_words
from ....terminal.keyboard import VIEW, key_of
from ....widgets.blank import Rows
from ....widgets.choice_bar import Choices
from ....widgets.cursor import READ, Readout
from ....widgets.plot import ChartView, charset_of
from .shown import Shown

if TYPE_CHECKING:
    from ldptui.core.view import Rounds

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

TALL: Final = 33
"""From this height two of them stand one over the other."""


class TimelineCharts(Rows):
    """One quantity over the rounds, and the next one below it where there is room."""

    DEFAULT_CSS = """
    TimelineCharts > #rounds-below { margin-top: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._above = ChartView(id="rounds")
        self._below = ChartView(id="rounds-below")
        self._readout = Readout()
        self._shown = Shown()
        self._course = "estimates"
        self._target: int | None = None  # the place of the one whose estimates are shown
        self._drawn: tuple[object, ...] = ()  # what the charts were made of

    def compose(self) -> ComposeResult:
        yield self._above
        yield self._below
        yield self._readout

    def charts(self) -> list[ChartView]:
        """The charts that are shown."""
        return [chart for chart in (self._above, self._below) if chart.display]

    # Keys.

    @property
    def _courses(self) -> list[str]:
        rounds = self._shown.rounds
        measured = () if rounds is None else rounds.metrics
        return [*COURSES, *(name for name in measured if not is_ours(name))]

    @property
    def _next(self) -> str:
        courses = self._courses
        return courses[(courses.index(self._course) + 1) % len(courses)]

    def next_view(self) -> None:
        self._course = self._next

    @property
    def walks(self) -> bool:
        """True if there are targets to walk through."""
        return self._course == "estimates" and self._shown.rounds is not None

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
        return (
            ("view", f"{key_of(self.app, *VIEW)} {_word(self._course)}"),
            *targets,
        )

    # The cursor: the round that the pane goes through.

    def round_at(self, message: ChartView.Pointed) -> int | None:
        """The round of a click; None for one on another chart."""
        rounds, place = self._shown.rounds, message.place
        if rounds is None or message.view not in self.charts() or not isinstance(place, tuple):
            return None
        return max(0, min(len(rounds) - 1, round(float(place[0]))))

    def _read(self, rounds: Rounds, room: Size) -> str:
        """The numbers of the round at the cursor, a line each; "" where all are pooled."""
        at = self._shown.cursor
        if at is None or at >= len(rounds):
            return ""
        from ....charts.figures.readings import reading
        from ....charts.figures.round_table import round_numbers

        targets = self._course in ("estimates", "ranks")
        numbers = round_numbers(
            rounds, at, _labels(self._shown), _top_k(self._shown), targets_first=targets
        )
        picked = self._target if targets and self._target in range(len(rounds.targets)) else 0
        size = room.width, max(1, room.height // READ)
        return reading(numbers, numbers.rows, 1, picked or 0, size, charset_of(self.app))

    # The picture.

    def show(self, shown: Shown, room: Size) -> None:
        """Draw the rounds in a box of this size; (0, 0): there is none yet, nothing is drawn."""
        self._shown = shown
        if self._course not in self._courses:
            self._course = "estimates"
        rounds = shown.rounds
        self._below.display = rounds is not None and room.height >= TALL
        if not room.width:
            return
        if rounds is None:
            self._drawn = ()
            self._above.empty = shown.empty
            self._above.chart = self._below.chart = None
            self._readout.show("")
            return
        state = (*self.numbers(shown), shown.base, shown.cursor, shown.note)
        state = (*state, self._course, self._target, self._below.display, room)
        if state == self._drawn:
            return
        self._drawn = state
        self._readout.show(self._read(rounds, room), room.height)
        self._above.chart = self._plot(rounds, self._course)
        if self._below.display:
            self._below.chart = self._plot(rounds, self._next)

    def _plot(self, rounds: Rounds, course: str) -> Plot:
        """One quantity over the rounds."""
        from ....charts.figures import rounds as figures

        note, at, base = self._shown.note, self._shown.cursor, self._shown.base
        assert base is not None  # whose rounds they are
        labels, top = _labels(self._shown), _top_k(self._shown)
        match course:
            case "estimates":
                chosen = self._target if self._target in range(len(rounds.targets)) else None
                return figures.estimates(rounds, labels, at, chosen, note=note)
            case "gain":
                return figures.gain(rounds, base.metrics.get("gain"), at, note=note)
            case "ranks":
                return figures.ranks(rounds, labels, base.domain_size, top, at, note=note)
            case "top":
                return figures.in_top(rounds, top, at, note=note)
            case "spent":
                return figures.spent(rounds, at, note=note)
            case _:
                return figures.in_words(rounds, course, base.metrics.get(course), at, note=note)

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the charts and their table are drawn from."""
        return (shown.rounds,)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.round_table import table

        rounds = shown.rounds
        return None if rounds is None else table(rounds, _labels(shown), _top_k(shown))


def _word(course: str) -> str:
    return COURSES.get(course) or metric_words(course).name


def _labels(shown: Shown) -> dict[int, str]:
    """The names of the items that have frequencies."""
    frequencies = shown.frequencies
    return (
        {} if frequencies is None else dict(zip(frequencies.items, frequencies.labels, strict=True))
    )


def _top_k(shown: Shown) -> int:
    assert shown.base is not None
    return min(int(shown.base.parameters.get("simulate.top_k", 20)), shown.base.domain_size)
