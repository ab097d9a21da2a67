"""The map: a metric over two swept keys, every pair of their values, in a layer of the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace
from textual.geometry import Size

from ....catalogue import metric_words
from ....charts.rows import clean
from ....messages import LongWork
from ....terminal.keyboard import AXIS, key_of
from ....widgets.choice_bar import Choices
from ....widgets.cursor import Move, move_cursor
from ....widgets.plot import ChartView, charset_of
from .box import ChartBox
from .shown import Shown

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario
    from ldptui.core.view import CellView

    from ....charts.figures import Table
    from ....charts.series import Chart, Grid
    from ....session.snapshot import Selection


class MapChart(ChartBox):
    """One metric at a time, `v` shows the next one; of further swept keys, `x` the next values."""

    takes: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__("map-box", "map")
        self._layer: dict[str, Any] | None = None  # chosen by hand
        self._asked: Grid | None = None  # the map that is solved as a game
        self._game: tuple[Grid | None, str] = None, ""  # the map that was, in words
        self._grid: Grid | None = None

    # Keys.

    @property
    def views(self) -> Mapping[str, str]:
        from ....charts.figures.maps import mapped_metrics

        return {name: metric_words(name).name for name in mapped_metrics(self._cells())}

    @property
    def held(self) -> dict[str, Any]:
        """The values of the swept keys that are no side of the map; none where there are two."""
        return _layer_of(self._shown.scenario, self._layer)

    def next_axis(self) -> None:
        """Show the map at the next values of the swept keys that are no side of it."""
        if self._shown.scenario is not None:
            self._layer = _layer_of(self._shown.scenario, self._layer, further=True)

    # The cursor: the names of a row and a column.

    def walk(self, by: int) -> None:
        """Move the cursor to another row."""
        if self._grid is not None and self._at is not None:
            row = move_cursor(self._at[0], self._grid.rows, "step", by)
            self._at = (row or self._at[0], self._at[1])

    def step(self, how: Move, by: int) -> None:
        """Move the cursor along its row."""
        if self._grid is not None:
            row, column = self._at or (self._grid.rows[0], None)
            column = move_cursor(column, self._grid.columns, how, by)
            self._at = None if column is None else (row, column)

    def stop_at(self, place: object, chart: ChartView) -> object:  # noqa: ARG002
        """The pair that was clicked at."""
        return place

    @property
    def points(self) -> bool:
        """True if there is a map for a cursor."""
        return self._grid is not None

    def at_cursor(self) -> list[tuple[str, Any]]:
        """The swept keys of the cell at the cursor, with their values."""
        cell = self._cell()
        if cell is None:
            return []
        sides = [(key, cell.parameters[key]) for key in keys_of(self._shown)]
        return [*sides, *self.held.items()]

    def _cells(self) -> list[CellView]:
        """The simulated cells of the map."""
        from ....charts.figures.maps import of_layer

        return of_layer(_measured(self._shown), self.held)

    def _cell(self) -> CellView | None:
        """The simulated cell at the cursor."""
        from ....charts.figures.maps import place_of

        grid, keys = self._grid, keys_of(self._shown)
        if grid is None:
            return None
        cells = self._cells()
        return next((cell for cell in cells if place_of(cell, cells, keys) == self._at), None)

    def _words(self, room: Size) -> str:
        """The numbers of the pair at the cursor, in lines as wide as the box; "" without one."""
        from ....charts.figures.maps import cell_words

        cell = self._cell() if self._at is not None else None
        if cell is None:
            return ""
        lines = [""]
        for number in cell_words(cell, keys_of(self._shown), self.view):
            words = clean(number, charset_of(self.app))
            if lines[-1] and len(lines[-1]) + 2 + len(words) > room.width:
                lines.append("")
            lines[-1] += f"{'  ' * bool(lines[-1])}{words}"
        return "\n".join(lines)

    def switches(self) -> Choices:
        from ....charts.figures.maps import layer_words

        view = super().switches()
        if not view or not self.held:
            return view
        return (("axis", f"{key_of(self.app, *AXIS)} {layer_words(self.held)}"), *view)

    # The picture.

    def selection(self, scenario: Scenario) -> Selection | None:
        """The cells of the layer that is shown; None without two swept keys."""
        from ....charts.curves import map_selection

        return map_selection(scenario, _layer_of(scenario, self._layer))

    def why_none(self) -> str:
        if self.view and len(keys_of(self._shown)) > 1:
            return ""
        self._grid = None
        return self._shown.empty

    def state(self) -> tuple[object, ...]:
        return (self._game,)

    def drawn(self) -> list[Chart]:
        from ....charts.figures.maps import attack_down, map_grid

        cells, keys, scenario = self._cells(), keys_of(self._shown), self._shown.scenario
        assert scenario is not None  # whose keys they are
        self._grid = grid = self._named(map_grid(cells, keys, self.view))
        pairs = math.prod(len(scenario.sweep[key]) for key in keys)
        words = self._words_of(grid, keys, attack_down(cells, keys), pairs)
        note = "; ".join(filter(None, (grid.note, words)))
        at = self._at if self._read(self._room) else None
        return [replace(grid, note=note, cursor=at)]

    def _named(self, grid: Grid) -> Grid:
        """The map with its layer in the title."""
        from ....charts.figures.maps import layer_words

        return replace(grid, title=", ".join(filter(None, (grid.title, layer_words(self.held)))))

    def _words_of(self, grid: Grid, keys: Sequence[str], down: bool, pairs: int) -> str:
        """The map as a game; "" where it is none, and until a thread has solved it.

        pairs : those that are swept.
        """
        from ....charts.figures.maps import game_words, is_game

        solved, words = self._game
        if solved == grid:
            return words
        whole = len(grid.rows) * len(grid.columns) == pairs
        if whole and is_game(keys, self.view) and self._asked != grid:
            self._asked = grid
            work = partial(game_words, grid, down)
            self.screen.post_message(LongWork("game", work, partial(self._take, grid)))
        return ""

    def _take(self, grid: Grid, words: str) -> None:
        self._game = grid, words

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        layer = _layer_of(shown.scenario, self._layer)
        return (_measured(shown), keys_of(shown), layer, self._chosen)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.maps import map_table, mapped_metrics

        cells = _measured(shown)
        known = mapped_metrics(cells)
        metric = self._chosen if self._chosen in known else next(iter(known), "")
        keys = dict.fromkeys((*keys_of(shown), *_layer_of(shown.scenario, self._layer)))
        return map_table(cells, tuple(keys), metric) if metric else None


def _measured(shown: Shown) -> list[CellView]:
    """The cells at all values of the swept keys."""
    sweep = {} if shown.scenario is None else shown.scenario.sweep
    return list(shown.table.grid(sweep, {}))


def keys_of(shown: Shown) -> tuple[str, ...]:
    """The two keys of the map."""
    from ....charts.curves import map_keys

    return map_keys(shown.scenario) if shown.scenario is not None else ()


def _layer_of(
    scenario: Scenario | None, chosen: dict[str, Any] | None, *, further: bool = False
) -> dict[str, Any]:
    """The chosen layer where the scenario has it, else its middle one; further: the next one."""
    if scenario is None:  # before the first draft: what is imported here takes half a second
        return {}
    from ....charts.curves import map_layer

    return map_layer(scenario, chosen, further=further)
