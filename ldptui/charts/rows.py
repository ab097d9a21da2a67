"""Rows of styled text, measured in cells, in which the charts are set; and the colours.

The texts of labels come from users and files, so everything is cut and padded by cell width, and
control characters never get through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ..text import format as fmt
from .series import Tone

Charset = Literal["ascii", "braille"]


# Points: a marker for each tone, so that it means the same in every chart.
MARKERS = {
    "true": "◆", "clean": "○", "measured": "×", "attacked": "×", "theory": "∙", "target": "△",
    "muted": "·",
    "series-0": "●", "series-1": "△", "series-2": "□", "series-3": "◇", "series-4": "+",
    "series-5": "▽",
}  # fmt: skip
ASCII_MARKERS = {
    "true": "@", "clean": "o", "measured": "x", "attacked": "x", "theory": "+", "target": "^",
    "muted": ",",
    "series-0": "o", "series-1": "x", "series-2": "#", "series-3": "%", "series-4": "+",
    "series-5": "&",
}  # fmt: skip


class ChartPalette(Struct, frozen=True):
    """The Rich styles of a chart: one for text, one for the background, one for each tone.

    The data colours of `DARK` and `LIGHT` stay different when a terminal reduces them to 256 or
    16 colours. `background` is the colour behind the chart, for exports; rows carry none.
    """

    foreground: str
    background: str
    muted: str
    true: str
    clean: str
    measured: str
    attacked: str
    theory: str
    target: str
    series: tuple[str, str, str, str, str, str]

    def style(self, tone: Tone) -> str:
        """The style of a tone."""
        if tone.startswith("series-"):
            return self.series[int(tone.removeprefix("series-"))]
        return str(getattr(self, tone))

    @property
    def has_colours(self) -> bool:
        """True if the palette has its own colours, enough to distinguish all series."""
        return self.background.startswith("#")

    def with_text(self, foreground: str, background: str, muted: str) -> ChartPalette:
        """A palette with the same data colours on another background."""
        return replace(self, foreground=foreground, background=background, muted=muted)


ROLES: Final[Mapping[str, tuple[str, str]]] = {
    # What one does now, on a dark and on a light ground.
    "focus": ("#e8b04b", "#8f5a00"),
    "swept": ("#afd75f", "#5a7000"),
    "refused": ("#ff5f5f", "#b8002a"),
    "doubtful": ("#ff8f4f", "#b8400f"),
    # What is drawn.
    "true": ("#eeeeee", "#1c1c1c"),
    "clean": ("#5fafff", "#005fd7"),
    "measured": ("#5fd7d7", "#00707f"),
    "attacked": ("#ff87d7", "#af0087"),
    "theory": ("#5fd787", "#007d00"),
    "target": ("#af87ff", "#5500c8"),
}
"""One colour for each meaning, in forms and in charts: no two of them look alike."""
_DRAWN: Final = tuple(ROLES)[4:]

DARK = ChartPalette(
    foreground="#e4e4e4",
    background="#121212",
    muted="#878787",
    series=("#5fafff", "#ffd75f", "#d787ff", "#5fd787", "#ff5f5f", "#8787ff"),
    **{role: ROLES[role][0] for role in _DRAWN},
)
LIGHT = ChartPalette(
    foreground="#1c1c1c",
    background="#f5f5f5",
    muted="#6c6c6c",
    series=("#005fd7", "#af5f00", "#af00af", "#007d00", "#d70000", "#008787"),
    **{role: ROLES[role][1] for role in _DRAWN},
)
ANSI_DARK = ChartPalette(
    foreground="default",
    background="default",
    muted="dim",
    true="bold default",
    clean="bright_blue",
    measured="bright_cyan",
    attacked="bright_magenta",
    theory="bright_green",
    target="bright_yellow",
    series=(
        "bright_blue", "bright_yellow", "bright_magenta", "bright_green", "bright_red",
        "bright_cyan",
    ),
)  # fmt: skip
ANSI_LIGHT = replace(
    ANSI_DARK,
    clean="blue",
    measured="cyan",
    attacked="magenta",
    theory="green",
    target="yellow",
    series=("blue", "yellow", "magenta", "green", "red", "cyan"),
)


class Look(Struct, frozen=True):
    """The size of a picture in cells, its colours and its characters."""

    width: int
    height: int
    palette: ChartPalette
    charset: Charset = "braille"

    @property
    def strong(self) -> str:
        """The style of titles."""
        return f"bold {self.palette.foreground}"

    def clean(self, text: str) -> str:
        """The text as one printable line, in the charset."""
        return clean(text, self.charset)

    def with_size(self, width: int, height: int) -> Look:
        """The look of a picture of another size."""
        return replace(self, width=width, height=height)


NO_DATA = "no data to draw yet"

Span = tuple[str, str]  # a piece of text and its Rich style
Row = list[Span]


@lru_cache(maxsize=512)
def style_of(definition: str) -> Style:
    return Style.parse(definition)


@lru_cache(maxsize=2048)
def clean(text: str, charset: Charset) -> str:
    """The text as one printable line (tabs and line breaks become spaces), in the charset."""
    if charset == "ascii":
        text = fmt.to_ascii(text)
    line = re.sub(r"[\t\r\n\v\f]+", " ", text)
    return "".join(c for c in line if c.isprintable())


def crop(text: str, width: int) -> str:
    """The text shortened to `width` cells, with an ellipsis if it is cut."""
    if cell_len(text) <= width:
        return text
    kept, cells = "", 0
    for char in text:
        cells += get_character_cell_size(char)
        if cells > width - 1:
            break
        kept += char
    return kept + "…" if width > 0 else ""


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly `width` cells."""
    text = crop(text, width)
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def length(row: Iterable[Span]) -> int:
    return sum(cell_len(text) for text, _ in row)


def strip(row: Row, width: int, charset: Charset = "braille") -> Strip:
    """The row in exactly `width` cells of the charset, in as few segments as possible.

    Each segment costs a terminal some forty bytes of colours, so blanks are joined to the text
    before them.
    """
    pieces: list[tuple[list[str], str]] = []
    room, last = width, ""
    for text, style in (*row, (" " * width, "")):
        if (size := _cells(text)) > room:
            text = crop(text, room) if text.strip() else " " * room
            size = _cells(text)
        room -= size
        if pieces and (style == last or (not text.strip(" ") and _is_invisible(style, last))):
            pieces[-1][0].append(text)
        elif text:
            pieces.append(([text], style))
            last = style
    joined = [("".join(texts), style) for texts, style in pieces]
    if charset == "ascii":  # the ellipsis where text was cut
        joined = [(fmt.ascii_cells(text), style) for text, style in joined]
    return Strip([Segment(text, style_of(style)) for text, style in joined], width)


_cells = lru_cache(maxsize=4096)(cell_len)
"""The cells of a text; most are those of a chart, one each."""


@lru_cache(maxsize=512)
def _is_invisible(*styles: str) -> bool:
    """Return whether a blank looks the same in all of these styles."""
    return not any(word in style for style in styles for word in ("reverse", "underline", "on #"))


def wrap_words(text: str, width: int) -> list[str]:
    """The words in lines of at most `width` cells; a word wider than that is cut."""
    lines: list[str] = []
    for word in text.split():
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(crop(word, width))
    return lines


def centre_text(text: str, look: Look) -> list[Row]:
    """A muted sentence in the middle of the picture."""
    lines = wrap_words(text, max(1, look.width - 2))[: look.height]
    above = (look.height - len(lines)) // 2
    rows: list[Row] = [[] for _ in range(look.height)]
    for index, line in enumerate(lines):
        inset = " " * ((look.width - cell_len(line)) // 2)
        rows[above + index] = [(inset + line, look.palette.muted)]
    return rows


def title_rows(title: str, text: str, look: Look) -> list[Row]:
    """The title, and a muted sentence in the middle."""
    rows = centre_text(look.clean(text), look)
    if title and look.height > 2:
        rows[0] = [(crop(look.clean(title), look.width), look.strong)]
    return rows


def message(text: str, look: Look) -> list[Strip]:
    """The strips of a picture with a muted sentence in the middle."""
    rows = centre_text(look.clean(text), look)
    return [strip(row, look.width, look.charset) for row in rows]
