"""The map: every pair of two swept values has its number, in the chart and in the table."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.chart_cases import asked, cells, scenario, snapshot, swept
from support.charts_pane import QUICK_DRAFT, chart, showing
from support.waiting import seen

from ldptui import scenarios
from ldptui.charts.curves import map_keys, map_layers, map_selection, middle_layer
from ldptui.charts.draw import draw
from ldptui.charts.draw.heat import SHADES, heat_place
from ldptui.charts.figures.maps import (
    cell_table,
    game_words,
    is_game,
    map_grid,
    place_of,
)
from ldptui.charts.rows import ANSI_DARK, DARK, Charset, ChartPalette, Look
from ldptui.charts.series import Grid
from ldptui.core.attacks import ATTACKS
from ldptui.core.scenario import Scenario, load
from ldptui.session import draft as drafts
from ldptui.session.cell_table import Cells, address_of
from ldptui.session.snapshot import ChartSelection
from ldptui.text.format import count, short

KEYS = ("protocol.epsilon", "attack.share")
PAIRS = swept(scenario(), {KEYS[0]: [0.5, 1.0, 2.0], KEYS[1]: [0.01, 0.05]})
CHARSETS: tuple[Charset, ...] = ("ascii", "braille")


def drawn(
    grid: Grid,
    width: int,
    height: int,
    charset: Charset = "braille",
    palette: ChartPalette = ANSI_DARK,
) -> list[str]:
    return [strip.text for strip in draw(grid, Look(width, height, palette, charset))]


def test_a_map_asks_for_every_pair_of_the_first_two_keys() -> None:
    part = asked(PAIRS, map_selection(PAIRS))
    assert part is not None
    assert len(cells(part.document)) == 6
    three = swept(PAIRS, {**PAIRS.sweep, "population.items": [8, 16, 32]})
    part = asked(three, map_selection(three))
    assert part.document["population"]["items"] == 16
    assert len(cells(part.document)) == 6
    one = swept(scenario(), {KEYS[0]: [1.0, 2.0]})
    assert map_selection(one) is None


def test_cells_without_room_are_counted() -> None:
    values = tuple(tuple(float(row * 40 + at) for at in range(40)) for row in range(40))
    names = tuple(str(at) for at in range(40))
    rows = drawn(Grid("t", "r", "c", names, names, values), 50, 12)
    assert any("rows left out" in row and "columns left out" in row for row in rows)
    assert rows[2].startswith("0 ")
    assert any(row.startswith("39") for row in rows)  # both ends stay


STEPS = Grid(
    "t", "r", "c", tuple("abcdef"), tuple("uvwxyz"),
    tuple(tuple(float(1 + row * 6 + at) for at in range(6)) for row in range(6)),
    inside=tuple(tuple(row + at > 4 for at in range(6)) for row in range(6)), line="both are in",
)  # fmt: skip


def pieces(grid: Grid, width: int, height: int) -> list[list[tuple[str, str]]]:
    """The texts of each line of the map in colours, with their styles."""
    return [
        [(segment.text, str(segment.style)) for segment in strip]
        for strip in draw(grid, Look(width, height, DARK))
    ]


def test_in_colours_every_pair_has_a_block_with_its_number() -> None:
    """36 numbers in 6 rows of 3 lines, 36 colours that differ from their neighbours' above."""
    lines = pieces(STEPS, 90, 24)
    text = "\n".join("".join(words for words, _ in line) for line in lines[2:])
    assert [int(word) for word in text.split() if word.isdigit()] == list(range(1, 37))
    grounds = [[style.split(" on ")[-1] for _, style in line[1:]] for line in lines[2:8]]
    assert all(grounds)
    light = [int(line[0][1:3], 16) for line in grounds]
    assert light == sorted(light)  # redder from line to line
    assert "line: both are in" in text


def test_the_numbers_have_as_many_digits_as_they_are_rounded_to() -> None:
    grid = Grid("t", "r", "c", ("a",), ("u", "v", "w"), ((0.02998, 0.0298, 0.5),))
    for palette in (DARK, ANSI_DARK):
        text = " ".join(drawn(grid, 90, 24, palette=palette))
        assert [word for word in text.split() if word.startswith("0.")][-3:] == [
            "0.0300", "0.0298", "0.5",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("width", "key"),
    [(40, ".. 0 :: 9 ++ 18 ## 27"), (24, ".. :: 9 ++ ## 27"), (18, ".. :: ++ ##"), (16, "")],
)
def test_the_key_of_the_fills_loses_every_second_number_before_a_fill(width: int, key: str) -> None:
    top = drawn(replace(STEPS, title="Gain"), width, 20, "ascii")[0].split()
    assert top == ["Gain", *key.split()]


@pytest.mark.parametrize("charset", CHARSETS)
def test_without_colours_each_step_has_a_fill_of_its_own(charset: Charset) -> None:
    values = tuple(tuple(value - 18.5 for value in row) for row in STEPS.values)
    grid = replace(STEPS, values=values, inside=())
    top, _, *lines = drawn(grid, 90, 20, charset)
    key = {each[0] for each in top.split()[1::2]}
    assert (
        key == set("".join(SHADES[charset])) == set("".join(lines)) & set("".join(SHADES[charset]))
    )


def test_nearly_equal_numbers_have_the_fill_that_the_key_names() -> None:
    """Two attacks of the same gain look alike, also where a step begins between them."""
    rows = ("0.002", "0.003", "0.004")
    values = ((0.03889, 0.03891), (0.0583, 0.0584), (0.0779, 0.0779))
    grid = Grid("Gain", "β", "", rows, ("mga", "plugin"), values)
    key, _, *blocks = (strip.text for strip in draw(grid, Look(60, 12, ANSI_DARK, "braille")))
    assert key.split() == ["Gain", "▓▓", "0.039", "██", "0.058"]
    assert max(len({*line} & {*"░▒▓█"}) for line in blocks) == 1


@pytest.mark.parametrize("palette", [DARK, ANSI_DARK])
def test_a_cell_of_the_screen_has_a_pair(palette: ChartPalette) -> None:
    lines = drawn(STEPS, 90, 24, palette=palette)
    for y, line in enumerate(lines[2:], 2):
        for number in (
            word for word in line.replace("[", " ").replace("]", " ").split() if word.isdigit()
        ):
            at = int(number) - 1
            found = heat_place(STEPS, line.index(number), y, Look(90, 24, palette))
            assert found == (STEPS.rows[at // 6], STEPS.columns[at % 6])
    assert heat_place(STEPS, 0, 5, Look(90, 24, palette)) is None
    assert heat_place(STEPS, 40, 0, Look(90, 24, palette)) is None
    assert heat_place(STEPS, 40, 23, Look(90, 24, palette)) is None


def test_the_line_of_a_map_is_where_all_targets_are_in_the_top_k() -> None:
    part = asked(PAIRS, map_selection(PAIRS))
    assert part is not None
    views = cells(part.document)
    gains = map_grid(views, KEYS, "gain")
    sides = tuple(sorted(KEYS, key=lambda key: -len(PAIRS.sweep[key])))
    for view in views:
        row, column = place_of(view, sides)
        place = gains.rows.index(row), gains.columns.index(column)
        mean = view.metrics["targets_in_top_k"].mean or 0.0
        assert gains.inside[place[0]][place[1]] == (mean >= 0.98 * 5)


numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60)
@given(
    st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=8),
    st.integers(1, 100),
    st.integers(1, 30),
    st.sampled_from(CHARSETS),
)
def test_any_numbers_at_any_size(
    values: list[list[float | None]], width: int, height: int, charset: Charset
) -> None:
    names = tuple(str(at) for at in range(len(values)))
    grid = Grid("t", "r", "c", names, ("a", "b", "c"), tuple(map(tuple, values)))
    for palette in (DARK, ANSI_DARK):
        strips = draw(grid, Look(width, height, palette, charset))
        assert len(strips) == height
        assert all(strip.cell_length == width for strip in strips)


async def test_the_tab_is_there_for_two_swept_keys_and_v_changes_the_metric() -> None:
    part = asked(PAIRS, map_selection(PAIRS))
    assert part is not None
    run = replace(snapshot(PAIRS), cells=cells(part.document))
    draft = QUICK_DRAFT
    for key, values in PAIRS.sweep.items():
        draft = drafts.edit_key(draft, f"sweep.{key}", values)
    async with showing(draft=draft, run=run) as (pane, pilot):
        assert "map" in dict(pane.tabs())
        pane.tab = "map"
        await pilot.pause()
        assert "Gain" in pane.as_text()
        assert pane.selections(draft) == (ChartSelection(), map_selection(PAIRS))
        await pilot.press("full_stop", "full_stop", "j")
        grid = chart(pane, "map")
        assert grid.cursor == (grid.rows[1], grid.columns[1])
        sides = tuple(sorted(PAIRS.sweep, key=lambda key: -len(PAIRS.sweep[key])))
        cell = next(cell for cell in run.cells if place_of(cell, sides) == grid.cursor)
        text = seen(pane.app)
        (row,) = cell_table(cell, sides, "gain").rows
        assert all(str(word) in text for word in (*grid.cursor, short(row[4], 5)[:5]))
        number = f"▸{short(cell.metrics['gain'].mean, 3)}"
        assert number in text
        assert number in pane.as_text()
        assert "▓" in pane.as_text()  # copied text has shades, not colours
        await pilot.press("enter")
        app: Any = pane.app
        assert app.proposed == [(key, cell.parameters[key]) for key in PAIRS.sweep]
        await pilot.press("backspace")
        assert chart(pane, "map").cursor is None
        lines = pane.as_text().splitlines()
        line = next(at for at, row in enumerate(lines) if row.startswith("0.5 "))
        await pilot.click("#map", offset=(10, line))
        assert chart(pane, "map").cursor == ("0.5", grid.columns[0])
        await pilot.press("v")
        first = pane.as_text()
        assert "Gain\n" not in first
        await pilot.press("t")
        table = pane.table()
        assert table is not None
        assert len(table.rows) == 6


def test_a_map_has_a_layer_for_all_values_of_the_other_keys() -> None:
    more = {"population.items": [8, 16, 32], "protocol.kind": ["grr", "oue"]}
    four = swept(PAIRS, {**PAIRS.sweep, **more})
    layers = map_layers(four)
    assert [tuple(held.values()) for held in layers] == [*itertools.product(*more.values())]
    assert layers[middle_layer(four)] == {"population.items": 16, "protocol.kind": "oue"}
    assert map_layers(PAIRS) == [{}]


async def test_x_shows_every_cell_of_a_sweep_over_three_keys() -> None:
    three = swept(PAIRS, {**PAIRS.sweep, "population.users": [5000, 10000]})
    run = replace(snapshot(three), full=True, cells=cells(three.document))
    draft = QUICK_DRAFT
    for key, values in three.sweep.items():
        draft = drafts.edit_key(draft, f"sweep.{key}", values)
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "map"
        await pilot.pause()
        (_, layer) = pane.selections(draft)
        assert layer.values == {"population.users": 10000}
        looked_at = set()
        for users in (10000, 5000):
            assert f"; n {count(users)}" in pane.as_text()
            for down in ("j", "k"):  # three rows, in each of two columns
                for key in ("full_stop", down, down):
                    await pilot.press(key)
                    looked_at.add(tuple(pane._boxes["map"].at_cursor()))
            await pilot.press("backspace", "x")
        assert looked_at == {
            tuple((key, cell.parameters[key]) for key in three.sweep) for cell in run.cells
        }
        assert "; n 10 000" in pane.as_text()
        await pilot.press("t")
        table = pane.table()
        assert table is not None
        assert len(table.rows) == 12


async def test_there_is_no_map_of_one_swept_key() -> None:
    async with showing() as (pane, _):
        assert "map" not in dict(pane.tabs())


def test_words_are_values_too() -> None:
    attacks = [kind for kind in ATTACKS if kind in ("rpa", "mga")]
    made = swept(scenario(), {"attack.kind": attacks, KEYS[0]: [0.5, 1.0, 2.0]})
    part = asked(made, map_selection(made))
    assert part is not None
    views = cells(part.document)
    grid = map_grid(views, tuple(made.sweep), "gain")
    assert grid.columns == tuple(attacks)
    assert map_grid(views, tuple(made.sweep), "mse").title == "Mean squared error, attacked"
    keyless = replace(views[0], parameters={"attack.kind": "rpa"})  # ε is no key of the other kind
    table = Cells([keyless, *views], address_of(views[0].parameters))
    assert {view.parameters.get(KEYS[0]) for view in table.grid(made.sweep, {})} == {
        None, 0.5, 1.0, 2.0,
    }  # fmt: skip
    bare = [replace(view, parameters={**view.parameters, "attack.kind": "none"}) for view in views]
    assert map_grid(bare, tuple(made.sweep), "mse").title == "Mean squared error"


GAME = Grid(
    "t", "attack", "defence", ("mga", "apa"), ("none", "fiad", "another"),
    ((4.0, 1.0, 3.0), (2.0, 2.5, 3.5)), note="mean of 3 trials",
)  # fmt: skip


def test_a_map_of_attacks_and_defences_is_a_game() -> None:
    words = game_words(GAME, True)
    # 4x + 2(1 − x) = x + 2.5(1 − x): x = 1/7, and the value is 16/7.
    assert words == (
        "as a game: value 2.286; attack apa 85.7 %, mga 14.3 %; defence fiad 57.1 %, none 42.9 %"
    )
    is_pivot = replace(GAME, rows=GAME.columns, columns=GAME.rows,
                     values=tuple(zip(*GAME.values, strict=True)))  # fmt: skip
    assert game_words(is_pivot, False) == words
    assert game_words(is_pivot, True) != words
    missing = replace(GAME, values=((4.0, None, 3.0), GAME.values[1]))
    assert game_words(missing, True) == ""
    keys = ("defence.0.kind", "attack.kind")
    assert is_game(keys, "gain_after")
    assert not is_game(keys, "recall")
    assert not is_game(("attack.share", "attack.kind"), "gain")


def test_a_long_note_takes_the_lines_that_are_left() -> None:
    grid = replace(GAME, note="; ".join(["mean of 3 trials", game_words(GAME, True)]))
    whole = " ".join(line.strip() for line in drawn(grid, 50, 14)[5:]).strip()
    assert whole.endswith(grid.note)
    assert drawn(grid, 50, 6)[-1].rstrip().endswith("…")


def test_defences_stand_beside_attacks_where_both_are_swept() -> None:
    bundled = load(Path(scenarios.__file__).parent / "cao-countermeasures.toml")
    assert len(bundled.sweep) == 3
    assert map_keys(bundled) == ("attack.kind", "defence.0.kind")
    part = asked(bundled, map_selection(bundled))
    assert part is not None
    shown = Scenario(part.document)
    assert tuple(shown.sweep) == map_keys(bundled)
    assert shown.document["protocol"]["kind"] == bundled.sweep["protocol.kind"][1]
    assert shown.problems() == []
    assert map_keys(PAIRS) == KEYS
