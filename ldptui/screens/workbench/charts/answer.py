"""The tab of a goal: the question in words, the number it takes, and what each setting takes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from ....catalogue import metric_words
from ....text.format import count, percent, short
from ....text.swept import where_words
from ....text.verdict import VerdictCell, known_by
from ....widgets.blank import call_on_resize
from ....widgets.number_table import FilteredTable
from ....widgets.plot import charset_of
from ....widgets.words import spell_text

if TYPE_CHECKING:
    from ldptui.core.view import CellView

    from ....charts.figures import Table

    Cells: TypeAlias = tuple[CellView, ...]

MOST_BARS: Final = 8
"""The most settings that have a bar; the table below has all."""

MOST_ROOM: Final = 60
"""Cells of the longest bar at most: a longer one is no easier to compare."""

MOST_SHARE: Final = 0.99
"""A number of fakes with a larger share of everybody is none, as for the search."""

LEAST_BAR: Final = 6
"""Cells of the longest bar, at least; else there are none."""

TABLE: Final = 6
"""Rows that bars leave to the table below them."""


class AnswerView(FilteredTable):
    """The answer to a goal in words and bars, over the table of all answers."""

    DEFAULT_CSS = """
    AnswerView > #words { height: auto; padding: 0 1 1 1; display: none; }
    """

    base: CellView | None = None
    spite: tuple[CellView, ...] = ()
    _told: tuple[Cells, CellView | None, Cells] = (), None, ()

    def compose(self) -> ComposeResult:
        yield Static(id="words")
        yield from super().compose()

    def on_mount(self) -> None:
        call_on_resize(self, self._say)

    def show(
        self,
        source: str,
        numbers: tuple[object, ...],
        table_of: Callable[[], Table | None],
        empty: str = "",
    ) -> None:
        super().show(source, numbers, lambda: _without_goal(table_of()), empty)
        cells = cast("tuple[CellView, ...]", numbers)
        answered = tuple(cell for cell in cells or () if cell.answer is not None)
        if (answered, self.base, self.spite) != self._told:
            self._told = answered, self.base, self.spite
            self._say()

    def _say(self) -> None:
        words, room = self.query_one("#words", Static), self.size
        plain, width = charset_of(self.app) == "ascii", room.width - 2
        lines: list[tuple[str, str]] = []
        if width > 0:
            sign = "#" if plain else "█"
            lines = page(*self._told, width, bar=sign, height=room.height)
        words.display = bool(lines)
        words.update(Content("\n").join(_styled(self, style, text) for style, text in lines))

    def as_text(self) -> str:
        """The words and bars, then the rows of the table."""
        words = [text for _, text in page(*self._told, max(60, self.size.width))]
        return "\n".join([*words, "", super().as_text()])


def _without_goal(table: Table | None) -> Table | None:
    """The table with a title that leaves the goal to the question above it."""
    return table and replace(table, title=re.sub(" for [^;]*", "", table.title))


def _styled(view: Any, style: str, text: str) -> Content:
    return Content.styled(spell_text(view, text), style)


def page(
    cells: Sequence[CellView],
    base: CellView | None,
    spite: Sequence[CellView],
    width: int,
    *,
    bar: str = "█",
    height: int = 0,
) -> list[tuple[str, str]]:
    """The lines of the page, each with its style; none without an answer.

    base : the cell that the workbench shows, whose answer is the number. spite : the same without
    defences, with each of them, with all. bar : the sign that bars are made of. height : the
    rows of the page, and of the table; where there are more than the least, every protocol has a
    bar.
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
    lines.append(("$text-accent bold", f"{number} {share}"))
    lines.append(("$foreground-muted", f"found {known_by(VerdictCell(first))}"))
    settings = _settings(shown, first, keys)
    left = len(settings) - MOST_BARS
    more = [("$foreground-muted", f"{count(left)} more settings below")] * (left > 0)
    room = height - TABLE - len(lines) - 1 - len(more)
    told, others = _beside(first, spite, keys)
    told = [*settings[:MOST_BARS], *told]
    told += others[: max(1, room - len(told))]
    bars = _bars(told, width, bar)
    return [*lines, *[("", "")] * bool(bars), *bars, *more]


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


class _Bar(Struct, frozen=True):
    """A bar: the name of its setting, the fakes it takes (None: no number does), words behind it.

    chosen : whether it is the setting of the answer's number.
    """

    name: str
    fakes: int | None
    words: str = ""
    chosen: bool = False


def _settings(cells: Sequence[CellView], first: CellView, keys: Sequence[str]) -> list[_Bar]:
    """A bar for each setting of a sweep, the fewest fakes first; of one setting that as it is."""
    chosen = where_words(first.parameters, keys)
    if len(cells) < 2 or not keys:
        return [_Bar(_steps(first), _fakes(first), chosen=True)]
    bars = []
    for cell in cells:
        name = where_words(cell.parameters, keys)
        bars.append(_Bar(name, _fakes(cell), chosen=name == chosen))
    return sorted(bars, key=_number)


def _number(bar: _Bar) -> float:
    """The fakes that a bar takes, as a number to sort by."""
    return math.inf if bar.fakes is None else bar.fakes


def _beside(
    first: CellView, spite: Sequence[CellView], keys: Sequence[str]
) -> tuple[list[_Bar], list[_Bar]]:
    """Bars beside the answer: defences and what no defence sees; protocols, the best one first.

    These and the last of those take the fakes that gain what the answer gains, as gains are
    proportional to β.
    """
    own = _fakes(first)
    if not own:
        return [], []
    bars = [_Bar(_steps(cell), _fakes(cell), _times(_fakes(cell), own)) for cell in spite]
    kind = str(first.parameters.get("protocol.kind"))
    gained = first.elsewhere.get(kind, 0.0)
    if gained <= 0:
        return bars, []
    if first.hidden is not None:
        fakes = _for_gain(first, gained, first.hidden)
        moves = f"moves the targets by {short(gained, 3)}"
        bars.append(_Bar("no defence sees", fakes, moves))
    others = list[_Bar]()
    for other, there in first.elsewhere.items():
        if other != kind and "protocol.kind" not in keys:
            fakes = _for_gain(first, gained, there)
            words = f"{_times(fakes, own)} for the same gain".strip()
            others.append(_Bar(f"{other.upper()} instead", fakes, words))
    return bars, sorted(others, key=_number, reverse=True)


def _fakes(cell: CellView) -> int | None:
    """The fakes that the goal of a cell takes; None where no number reaches it."""
    answer = cell.answer
    return int(answer["malicious"]) if answer is not None and answer["reached"] else None


def _steps(cell: CellView) -> str:
    """The defences in spite of which a goal is reached: `+ norm-sub`, or `as it is`."""
    answer, steps = cell.answer, cell.parameters
    kinds = [str(steps[key]) for key in steps if re.fullmatch(r"defence\.(\d+\.)?kind", key)]
    spite = answer is not None and answer["metric"].endswith("_after")
    return f"+ {', '.join(kinds)}" if spite and kinds else "as it is"


def _for_gain(cell: CellView, gained: float, there: float) -> int | None:
    """The fakes that gain as much where those of the cell gain `there`; None if no number does."""
    share = cell.malicious / (cell.users + cell.malicious) * gained / there if there > 0 else 1.0
    return math.ceil(cell.users * share / (1 - share)) if share < MOST_SHARE else None


def _times(fakes: int | None, own: int) -> str:
    """The ratio to the answer's own number: `× 1.02`."""
    return "" if fakes is None else f"× {fakes / own:.2f}"


def _bars(bars: Sequence[_Bar], width: int, sign: str) -> list[tuple[str, str]]:
    """The lines of bars; one of a setting in which no number reaches the goal goes on."""
    numbers = [count(bar.fakes) if bar.fakes is not None else "no number does" for bar in bars]
    names = max(cell_len(bar.name) for bar in bars)
    ends, words = max(map(cell_len, numbers)), max(cell_len(bar.words) for bar in bars)
    room = min(MOST_ROOM, width - names - ends - words - 5)
    if len(bars) < 2 or room < LEAST_BAR:
        return []
    most = max((bar.fakes for bar in bars if bar.fakes is not None), default=1) or 1
    lines = []
    for bar, number in zip(bars, numbers, strict=True):
        long = room if bar.fakes is None else round(room * bar.fakes / most)
        drawn = sign * max(1, long) if bar.fakes is not None else f"{'·' * (room - 1)}▸"
        style = "$text-accent" if bar.chosen else "$foreground-muted"
        row = f"{bar.name.ljust(names)} {drawn.ljust(room)} {number.rjust(ends)}  {bar.words}"
        lines.append((style, row.rstrip()))
    return lines
