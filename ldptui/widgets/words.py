"""Words on the screen: the same ones again would lay out the whole screen anew."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Static

from ..text.format import to_ascii

DOT: Final = " · "


def spelled(widget: Widget, text: str) -> str:
    """The text in the app's charset: in ASCII with words for its signs."""
    return to_ascii(text) if getattr(widget.app, "charset", "") == "ascii" else text


def spelled_name(widget: Widget, name: str, width: int) -> str:
    """A name in the app's charset; its sign goes where the word for it has no room."""
    words = spelled(widget, name)
    if words != name and len(words) > width:
        words = words.replace("epsilon", "eps")
    if words != name and len(words) > width:
        words = spelled(widget, name.rpartition(" ")[0])
    return words


def parts_within(text: str, width: int) -> str:
    """The parts of a hint, with dots between them, that have room: whole ones.

    The last one is kept, which says how to leave; of the others the first ones come first.
    """
    *parts, last = text.split(DOT)
    while parts and cell_len(DOT.join((*parts, last))) > width:
        parts.pop()
    return DOT.join((*parts, last))


def put(words: Static, text: str) -> None:
    """Put a text into a widget, which may have it already."""
    if str(words.content) != text:
        words.update(text)


def put_or_hide(words: Static, text: str) -> None:
    """Put a text into a widget that is there only where there is a text."""
    words.display = bool(text)
    put(words, text)


def whole_parts(head: str, text: str, width: int) -> str:
    """The head and as many parts of a text as fit, none of them cut; two blanks part them."""
    parts = text.split("  ")
    while len(parts) > 1 and cell_len(head + "  ".join(parts)) > width:
        parts.pop()
    return head + "  ".join(parts)


def entitle(pane: Widget, title: Content) -> None:
    """Put a title into the border of a pane, which may have it already.

    It may have words that a user typed. They are no markup, and Textual's `escape` leaves some.
    """
    if pane.border_title != title.markup:
        # Not by `border_title =`: it draws all that stands in the pane.
        pane._border_title = title.expand_tabs(4).split(allow_blank=True)[0]
        left, top = pane.content_offset
        pane.refresh(Region(-left, -top, pane.outer_size.width, 1))
