"""The tab of a goal: the question in words, the number it takes, and what each setting takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.renderables.digits import DIGITS, DIGITS3X3
from textual.widgets import Static

from ....catalogue import metric_words
from ....text.format import count, percent, short
from ....text.swept import where_words
from ....widgets.blank import fitted
from ....widgets.filtered_table import FilteredTable
from ....widgets.plot import charset_of
from ....widgets.words import spelled

if TYPE_CHECKING:
    from ldptui.core.view import CellView

    from ....charts.figures import Table

MOST_BARS: Final = 8
"""The most settings that have a bar; the table below has all."""

LEAST_BAR: Final = 6
"""Cells of the longest bar, at least; else there are none."""

HIGH: Final = 22
"""Rows of the page from which the number is large."""


class AnswerView(FilteredTable):
    """The answer to a goal in words and bars, over the table of all answers."""

    DEFAULT_CSS = """
    AnswerView > #words { height: auto; padding: 0 1 1 1; display: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.base: CellView | None = None
        self._told: tuple[tuple[CellView, ...], CellView | None] = (), None

    def compose(self) -> ComposeResult:
        yield Static(id="words")
        yield from super().compose()

    def on_mount(self) -> None:
        fitted(self, self._say)

    def show(
        self,
        source: str,
        numbers: tuple[object, ...],
        table_of: Callable[[], Table | None],
        empty: str = "",
    ) -> None:
        super().show(source, numbers, table_of, empty)
        cells = cast("tuple[CellView, ...]", numbers)
        answered = tuple(cell for cell in cells or () if cell.answer is not None)
        if (answered, self.base) != self._told:
            self._told = answered, self.base
            self._say()

    def _say(self) -> None:
        words, room = self.query_one("#words", Static), self.size
        plain, width = charset_of(self.app) == "ascii", room.width - 2
        lines: list[tuple[str, str]] = []
        if width > 0:
            high = room.height >= HIGH and not plain
            lines = page(*self._told, width, large=high, bar="#" if plain else "█")
        words.display = bool(lines)
        words.update(Content("\n").join(_styled(self, style, text) for style, text in lines))

    def as_text(self) -> str:
        """The words and bars, then the rows of the table."""
        words = [text for _, text in page(*self._told, max(60, self.size.width), large=False)]
        return "\n".join([*words, "", super().as_text()])


def _styled(view: Any, style: str, text: str) -> Content:
    return Content.styled(spelled(view, text), style)


def page(
    cells: Sequence[CellView], base: CellView | None, width: int, *, large: bool, bar: str = "█"
) -> list[tuple[str, str]]:
    """The lines of the page, each with its style; none without an answer.

    base : the cell that the workbench shows, whose answer is the number. large : it is three rows
    high. bar : the sign that bars are made of.
    """
    first = _like(cells, base)
    if first is None or (answer := first.answer) is None:
        return []
    shown = _one_goal(cells, answer)
    metric, keys = metric_words(answer["metric"]).name, _telling(shown)
    where = f" at {where_words(first.parameters, keys)}" if keys else ""
    question = f"How many fake users does {metric} ≥ {short(answer['at_least'])} take{where}?"
    everybody = first.users + answer["malicious"]
    share = f"fake users, {percent(answer['share'])} of everybody"
    if answer["malicious"]:
        share += f": one report in {count(round(everybody / answer['malicious']))}"
    if not answer["reached"]:
        share = f"{share}, reach {short(answer['value'])} alone: no number does"
    number = count(answer["malicious"])
    lines = [("$foreground-muted", question)]
    if large:
        rows = _large(number)
        lines += [("$text-accent bold", row) for row in rows[:2]]
        lines.append(("$text-accent bold", f"{rows[2]}  {share}"))
    else:
        lines.append(("$text-accent bold", f"{number} {share}"))
    return [*lines, *_bars(shown, first, keys, width, bar)]


def _like(cells: Sequence[CellView], base: CellView | None) -> CellView | None:
    """The cell with the settings of the base, else the one in the middle; None without any."""
    if not cells:
        return None
    wanted = {} if base is None else base.parameters
    keys = [*_telling(cells), "goal.at_least", "goal.metric"]
    same = (
        cell for cell in cells if all(cell.parameters.get(key) == wanted.get(key) for key in keys)
    )
    return next(same, cells[len(cells) // 2])


def _one_goal(cells: Sequence[CellView], wanted: Mapping[str, Any]) -> list[CellView]:
    """The cells with one goal: the others ask for something else."""
    asked = [(cell, cell.answer) for cell in cells]
    return [
        cell for cell, answer in asked
        if answer and all(answer[key] == wanted[key] for key in ("metric", "at_least"))
    ]  # fmt: skip


def _telling(cells: Sequence[CellView]) -> list[str]:
    """The keys in which cells differ, but for what the answer decides."""
    keys = dict.fromkeys(key for cell in cells for key in cell.parameters)
    return [
        key for key in keys
        if not key.startswith(("attack.share", "goal."))
        and len({str(cell.parameters[key]) for cell in cells if key in cell.parameters}) > 1
    ]  # fmt: skip


def _bars(
    cells: Sequence[CellView], first: CellView, keys: Sequence[str], width: int, bar: str
) -> list[tuple[str, str]]:
    """A bar for each setting, the fewest fakes first; one without an answer goes on."""
    chosen = where_words(first.parameters, keys)
    if len(cells) < 2 or not keys:
        return []
    rows = []
    for cell in cells:
        assert cell.answer is not None
        many = cell.answer["malicious"]
        words = count(many) if cell.answer["reached"] else "no number does"
        rows.append((not cell.answer["reached"], many, where_words(cell.parameters, keys), words))
    rows.sort(key=lambda row: row[:2])
    names = max(cell_len(name) for _, _, name, _ in rows)
    ends = max(cell_len(words) for *_, words in rows)
    room = width - names - ends - 3
    if room < LEAST_BAR:
        return []
    most = max((many for beyond, many, *_ in rows if not beyond), default=1) or 1
    lines = []
    for beyond, many, name, words in rows[:MOST_BARS]:
        long = room if beyond else max(1, round(room * many / most))
        drawn = bar * long if not beyond else f"{'·' * (room - 1)}▸"
        style = "$text-accent" if name == chosen else "$foreground-muted"
        lines.append((style, f"{name.ljust(names)} {drawn.ljust(room)} {words.rjust(ends)}"))
    left = len(rows) - MOST_BARS
    return [*lines, *[("$foreground-muted", f"{count(left)} more below")] * (left > 0)]


def _large(number: str) -> list[str]:
    """A number in figures of three rows."""
    glyphs = DIGITS3X3
    rows = ["", "", ""]
    for sign in number:
        at = DIGITS.index(sign) * 3 if sign in DIGITS else 0
        narrow = 1 if sign == " " else 3
        for y in range(3):
            rows[y] += glyphs[at + y][:narrow].ljust(narrow)
    return rows
