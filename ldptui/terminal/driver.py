"""A terminal driver that sends only the cells that changed.

Textual redraws whole widgets, and the whole screen when a layout changes; over a network most of
those bytes say what the terminal shows already. This driver keeps the cells that it has sent,
compares what Textual wants with them, and sends the difference, each style as a difference to the
one before.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import threading
from collections.abc import Callable
from functools import lru_cache
from itertools import chain, compress, count, repeat
from operator import ne
from typing import IO, Any, Final, TypeAlias, cast

from rich.cells import cell_len, get_character_cell_size
from textual.drivers.linux_driver import LinuxDriver

from ..text.format import ascii_cells

Style: TypeAlias = tuple[frozenset[str], str, str]
"""Attributes ("1", "4", …), foreground and background as SGR parameters ("" is the default)."""
Cell: TypeAlias = tuple[str, Style]
"""A character and its style. The right half of a wide character is an empty text."""

PLAIN: Final[Style] = (frozenset(), "", "")
VISIBLE_ON_BLANKS: Final = frozenset(("4", "7", "9", "21", "53"))
"""Attributes of which a blank shows something: lines, and colours that change places."""
UNKNOWN: Final[Cell] = ("\0", PLAIN)
GAP: Final = 4
"""Unchanged cells that are sent again rather than jumped over: a jump costs more bytes."""

_TOKEN: Final = re.compile(
    r"\x1b\[(?P<row>\d*)(?:;(?P<column>\d*))?H"
    r"|\x1b\[(?P<sgr>[\d;:]*)m"
    r"|(?P<text>[^\x1b\x00-\x1f\x7f]+)"
    r"|(?P<newline>\n)"
    r"|(?P<harmless>\x1b\[\?(?:2026|25|1000|1002|1003|1004|1006|1015|1016|2004|2048)[hl]"
    r"|\x1b\[\?\d+\$p|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x07|\x1b\[[<>=]\d*u)"
    r"|(?P<other>\x1b\[[0-9;:<=>?]*[ -/]*[@-~]|.)",
    re.DOTALL,
)


class CellScreen:
    """A copy of the cells that the terminal shows."""

    def __init__(self, ascii_only: Callable[[], bool] = lambda: False) -> None:
        self._ascii_only = ascii_only
        self._rows: dict[int, list[Cell]] = {}
        self._cursor: tuple[int, int] | None = None

    def forget(self) -> None:
        """Forget what the terminal shows, so that everything is sent again."""
        self._rows.clear()
        self._cursor = None

    def update(self, data: str) -> str:
        """The shortest found output with the same effect as `data`."""
        output: list[str] = []
        wanted: dict[int, list[Cell]] = {}
        row = column = 0
        style, moved = PLAIN, False
        for token in _TOKEN.finditer(data):
            kind = token.lastgroup
            if kind == "text":
                text = ascii_cells(token["text"]) if self._ascii_only() else token["text"]
                column = self._put(wanted, row, column, text, style)
                moved = False
            elif kind == "sgr":
                style = apply_sgr(style, token["sgr"])
            elif kind in ("row", "column"):
                row, column = int(token["row"] or 1) - 1, int(token["column"] or 1) - 1
                moved = True
            elif kind == "newline":
                row, column = row + 1, 0
            else:
                self._send_rows(output, wanted)
                output.append(token[0])
                if kind == "other":
                    self.forget()
        self._send_rows(output, wanted)
        if moved:
            output.append(self._jump(row, column))
            self._cursor = (row, column)
        return "".join(output)

    def _jump(self, row: int, column: int) -> str:
        """The shortest move of the cursor to a cell."""
        if self._cursor == (row, column):
            return ""
        if self._cursor is not None and self._cursor[0] == row and self._cursor[1] < column:
            return f"\x1b[{column - self._cursor[1]}C"
        return f"\x1b[{row + 1};{column + 1}H"

    def _put(
        self, wanted: dict[int, list[Cell]], row: int, column: int, text: str, style: Style
    ) -> int:
        """Write text into the wanted row; returns the column after it."""
        cells = wanted.get(row)
        if cells is None:
            cells = wanted[row] = self._rows.get(row, []).copy()
        blank = style_of_blank(style)
        if text.isascii() or cell_len(text) == len(text):
            new = [(character, blank if character == " " else style) for character in text]
        else:
            new = []
            for character in text:
                width = get_character_cell_size(character)
                if width == 0 and new:
                    new[-1] = (new[-1][0] + character, style)
                elif width:
                    shown = blank if character == " " else style
                    new += [(character, shown), ("", style)][:width]
        end = column + len(new)
        if len(cells) < end:
            cells += [UNKNOWN] * (end - len(cells))
        cells[column:end] = new
        return end

    def _send_rows(self, output: list[str], wanted: dict[int, list[Cell]]) -> None:
        """Append the output for cells that differ from the terminal's, and record them as shown."""
        style = PLAIN
        for row in sorted(wanted):
            cells, shown = wanted[row], self._rows.get(row, [])
            if cells == shown:
                continue
            for start, end in _spans(cells, shown):
                output.append(self._jump(row, start))
                for text, wanted_style in cells[start:end]:
                    if wanted_style != (style_of_blank(style) if text == " " else style):
                        output.append(_change(style, wanted_style))
                        style = wanted_style
                    output.append(text)
                # In the last column the cursor waits for the next character: it is nowhere sure.
                self._cursor = (row, end) if end < len(cells) else None
            self._rows[row] = cells
        if style != PLAIN:
            output.append("\x1b[0m")
        wanted.clear()


def _spans(cells: list[Cell], shown: list[Cell]) -> list[tuple[int, int]]:
    """The spans [start, end) in which a row differs from the terminal's; near spans are joined."""
    spans: list[tuple[int, int]] = []
    for at in compress(count(), map(ne, cells, chain(shown, repeat(None)))):
        if cells[at] is UNKNOWN:
            continue
        start = at
        while start > 0 and cells[start][0] == "":
            start -= 1  # half of a wide character is never sent alone
        if spans and start - spans[-1][1] <= GAP and UNKNOWN not in cells[spans[-1][1] : start]:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((start, at + 1))
    return spans


@lru_cache(maxsize=4096)
def apply_sgr(style: Style, parameters: str) -> Style:
    """The style after an SGR sequence."""
    attributes, foreground, background = set(style[0]), style[1], style[2]
    codes = parameters.replace(":", ";").split(";") if parameters else ["0"]
    while codes:
        code = codes.pop(0)
        number = int(code or 0)
        if number == 0:
            attributes, foreground, background = set(), "", ""
        elif number in (38, 48):
            length = 4 if codes and codes[0] == "2" else 2
            colour = ";".join([code, *codes[:length]])
            del codes[:length]
            if number == 38:
                foreground = colour
            else:
                background = colour
        elif 30 <= number <= 37 or 90 <= number <= 97:
            foreground = code
        elif 40 <= number <= 47 or 100 <= number <= 107:
            background = code
        elif number == 39:
            foreground = ""
        elif number == 49:
            background = ""
        else:
            attributes.add(str(number))
    return frozenset(attributes), foreground, background


@lru_cache(maxsize=4096)
def style_of_blank(style: Style) -> Style:
    """The part of a style that is visible on a blank cell: lines and the background."""
    attributes = style[0] & VISIBLE_ON_BLANKS
    return attributes, style[1] if attributes else "", style[2]


@lru_cache(maxsize=4096)
def _change(before: Style, after: Style) -> str:
    """The SGR sequence from one style to another."""
    parts: list[str] = []
    if not before[0] <= after[0]:
        parts.append("0")
        before = PLAIN
    parts += sorted(after[0] - before[0])
    if after[1] != before[1]:
        parts.append(after[1] or "39")
    if after[2] != before[2]:
        parts.append(after[2] or "49")
    return f"\x1b[{';'.join(parts)}m"


class TerminalFile:
    """The output file of the terminal; after the connection is lost, output is dropped.

    An error would end Textual's writing thread; its queue would fill and block the event loop, so
    that the signal of the lost connection was never handled.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class ChangedCellsDriver(LinuxDriver):
    """Textual's driver for Linux and macOS, which sends changed cells only."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._file = cast("Any", TerminalFile(cast("IO[str]", self._file)))
        # What the widgets do not spell out themselves is one character of another kind here.
        self._screen = CellScreen(lambda: getattr(self._app, "charset", "") == "ascii")
        self._size_drawn: os.terminal_size | None = None
        threading.Thread(target=self._await_hang_up, name="terminal", daemon=True).start()

    def _await_hang_up(self) -> None:
        """Hang up once the terminal is gone: its system tells the leader of the session alone,
        and Textual would read the end of it forever.
        """
        terminal = select.poll()
        terminal.register(self.fileno, 0)
        if any(event & select.POLLHUP for _, event in terminal.poll()):
            os.kill(os.getpid(), signal.SIGHUP)

    def _sigcont_application(self, *arguments: Any) -> None:
        """Take the terminal again after a stop; SIGCONT also arrives after a hang-up."""
        if self._loop.is_closed() or not os.isatty(self.fileno):
            return
        if self._key_thread is not None and self._key_thread.is_alive():
            # In its turn: what was interrupted may hold the lock of the queue to the terminal.
            self._loop.call_soon_threadsafe(self.reopen_terminal)
        else:
            super()._sigcont_application(*arguments)

    def reopen_terminal(self) -> None:
        """Set up the terminal again after a SIGSTOP, which no handler sees.

        Textual alone would start a second reading and a second writing thread, and restore the
        wrong terminal mode at the end.
        """
        before = self.attrs_before
        self.disable_input()
        self.close()
        self._must_signal_resume = True  # the app draws everything again
        self.resume_application_mode()
        self.attrs_before = before

    def write(self, data: str) -> None:
        """Send the cells that an output changes."""
        with contextlib.suppress(OSError):
            size = os.get_terminal_size(self.fileno)
            if size != self._size_drawn:
                # A terminal that was resized may have moved or wiped its cells.
                self._screen.forget()
                self._size_drawn = size
        changed = self._screen.update(data)
        if changed:
            super().write(changed)
