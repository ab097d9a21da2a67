"""The driver that sends changed cells only: what the terminal shows is what Textual drew."""

from __future__ import annotations

from io import StringIO

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st

from ldptui.terminal.driver import CellScreen, TerminalFile

COLUMNS, ROWS = 20, 4
STYLES = ["0", "1;38;2;232;176;75", "38;2;1;2;3;48;2;4;5;6", "4;31", "7", "48;5;17", "1;4;97;40"]

texts = st.text(alphabet="abc xyz─█⠿漢字é", min_size=1, max_size=COLUMNS)
writes = st.tuples(
    st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1), st.sampled_from(STYLES), texts
)
frames = st.lists(st.lists(writes, max_size=6), min_size=1, max_size=6)


def frame(parts: list[tuple[int, int, str, str]]) -> str:
    """One frame as Textual writes it: moves, styled text, resets."""
    data = ""
    for row, column, style, text in parts:
        fitting = ""
        width = 0
        for character in text:
            width += 2 if character in "漢字" else 1
            if column + width > COLUMNS:
                break
            fitting += character
        if fitting:
            data += f"\x1b[{row + 1};{column + 1}H\x1b[{style}m{fitting}\x1b[0m"
    return data + "\x1b[1;1H"


def shown(screen: pyte.Screen) -> list[list[tuple[object, ...]]]:
    return [[seen(screen.buffer[row][column]) for column in range(COLUMNS)] for row in range(ROWS)]


def seen(cell: pyte.screens.Char) -> tuple[object, ...]:
    """What is seen of a cell: a blank shows its lines and its ground."""
    if cell.data != " ":
        return tuple(cell)
    has_lines = cell.underscore or cell.reverse or cell.strikethrough
    fg = cell.fg if has_lines else "default"
    return tuple(cell._replace(fg=fg, bold=False, italics=False))


@given(frames)
@settings(max_examples=100)
def test_the_terminal_shows_what_was_drawn(drawn: list[list[tuple[int, int, str, str]]]) -> None:
    plain, thrifty = pyte.Screen(COLUMNS, ROWS), pyte.Screen(COLUMNS, ROWS)
    to_plain, to_thrifty = pyte.Stream(plain), pyte.Stream(thrifty)
    cells = CellScreen()
    # Every cell is drawn once, as by Textual's first frame.
    blank = "".join(f"\x1b[{row + 1};1H{' ' * COLUMNS}" for row in range(ROWS))
    for data in [blank, *map(frame, _whole(drawn))]:
        to_plain.feed(data)
        to_thrifty.feed(cells.update(data))

        assert shown(plain) == shown(thrifty)


def _whole(
    drawn: list[list[tuple[int, int, str, str]]],
) -> list[list[tuple[int, int, str, str]]]:
    """Frames that never cut a wide character in half: each row written is cleared first."""
    return [
        [one for write in parts for one in ((write[0], 0, "0", " " * COLUMNS), write)]
        for parts in drawn
    ]


def test_what_is_shown_already_costs_nothing() -> None:
    cells = CellScreen()
    data = frame([(0, 0, STYLES[1], "hello"), (2, 3, STYLES[2], "wide 漢字")])

    assert cells.update(data)
    assert cells.update(data) == ""


def test_one_changed_cell_costs_a_move_a_style_and_a_character() -> None:
    cells = CellScreen()
    cells.update(frame([(1, 0, STYLES[1], "0123456789")]))

    changed = cells.update(frame([(1, 0, STYLES[1], "0123x56789")]))

    assert changed == "\x1b[2;5H\x1b[1;38;2;232;176;75mx\x1b[0m\x1b[1;1H"


def test_styles_are_sent_as_differences() -> None:
    cells = CellScreen()

    sent = cells.update("\x1b[1;1H\x1b[1;31;44ma\x1b[0m\x1b[1;32;44mb\x1b[0m")

    assert sent == "\x1b[1;1H\x1b[1;31;44ma\x1b[32mb\x1b[0m"


def test_half_of_a_wide_character_is_never_sent_alone() -> None:
    cells = CellScreen()
    cells.update("\x1b[1;1H漢b")

    assert "漢" in cells.update("\x1b[1;1H\x1b[31m漢\x1b[0mb")
    cells.update("\x1b[1;2Hx")  # over its right half
    assert "漢" in cells.update("\x1b[1;1H\x1b[31m漢\x1b[0mb")


def test_what_is_not_understood_is_passed_on_and_everything_sent_again() -> None:
    cells = CellScreen()
    cells.update("\x1b[1;1Habc")

    assert cells.update("\x1b[2J") == "\x1b[2J"
    assert "abc" in cells.update("\x1b[1;1Habc")


def test_modes_titles_and_the_clipboard_pass_in_order() -> None:
    cells = CellScreen()
    data = "\x1b[?2026h\x1b[1;1Hab\x1b]52;c;YWI=\x07\x1b[?2026l"

    assert cells.update(data) == data
    assert cells.update(data) == data.replace("\x1b[1;1Hab", "")


def test_ascii_cells_stay_where_they_are() -> None:
    cells = CellScreen(ascii_only=lambda: True)
    sent = cells.update("\x1b[1;1H╭─ ● OUE ★ ε ≤ 1 … ±0.006 日本é ─╮")
    assert sent.isascii()
    assert "+- * OUE ! E < 1 _ ~0.006 ????e -+" in sent


def test_a_terminal_that_is_gone_ends_no_thread() -> None:
    class Gone(StringIO):
        def write(self, _: str) -> int:
            raise OSError(5, "Input/output error")

        def flush(self) -> None:
            raise OSError(5, "Input/output error")

    line = TerminalFile(Gone())

    line.write("x")
    line.flush()
    assert not line.isatty()


def test_cells_that_nobody_drew_are_not_sent() -> None:
    sent = CellScreen().update(frame([(0, 0, "0", "ab"), (0, 4, "0", "cd")]))
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[1;1Hunknown")
    stream.feed(sent)

    assert screen.display[0].rstrip() == "abkncdn"
