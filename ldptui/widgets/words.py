"""Words on the screen: the same ones again would lay out the whole screen anew."""

from __future__ import annotations

from io import StringIO
from typing import Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ..text.format import ascii_cells, to_ascii
from ..text.prose import first_lines

DOT: Final = " · "


def spell_text(widget: Widget, text: str) -> str:
    """The text in the app's charset; in ASCII, signs are replaced by words."""
    return to_ascii(text) if getattr(widget.app, "charset", "") == "ascii" else text


def text_of(drawn: RenderableType, width: int, charset: str) -> str:
    """The plain text of a Rich renderable."""
    console = Console(file=StringIO(), width=width or 76, color_system=None)
    with console.capture() as written:
        console.print(drawn)
    text = "".join(f"{line.rstrip()}\n" for line in written.get().splitlines())
    return ascii_cells(text) if charset == "ascii" else text


def parts_within(text: str, width: int, joint: str = DOT, *, dropped: int = -2) -> str:
    """The parts of a text that fit into `width` columns, none of them cut; at least one.

    joint : the separator of the parts.
    dropped : the index of the part that is left out first: the last but one, as the last part of a
        hint says how to leave.
    """
    parts = text.split(joint)
    while len(parts) > 1 and cell_len(joint.join(parts)) > width:
        del parts[dropped]
    return joint.join(parts)


def cut_at_word(line: Content, width: int) -> Content:
    """The line in at most `width` columns, with "…" after its last whole word if it is longer."""
    (head,) = first_lines(line.plain, width, 1)
    if head != line.plain:
        line = Content.assemble(line[: len(head) - len(" …")], " …")
    return line.truncate(max(1, width), ellipsis=True)


def put(words: Static, text: str) -> None:
    """Set the text of a widget, unless it has that text already."""
    if str(words.content) != text:
        words.update(text)


def put_or_hide(words: Static, text: str) -> None:
    """Set the text of a widget and hide it if the text is empty."""
    words.display = bool(text)
    put(words, text)


def entitle(pane: Widget, title: Content) -> None:
    """Set the border title of a pane, unless it has that title already.

    title : a Content, as text of users must not be read as markup.
    """
    if pane.border_title != title.markup:
        pane.border_title = title
