"""Containers that draw nothing of their own: no border, no padding, no text.

Textual then fills them without asking line by line, with every frame, what they show.
"""

from __future__ import annotations

from textual.containers import Container, Horizontal, Vertical, VerticalScroll


class Area(Container):
    """Its layout is chosen by style."""

    BLANK = True


class Columns(Horizontal):
    """A container whose children stand side by side."""

    BLANK = True


class Rows(Vertical):
    """A container whose children stand one below the other."""

    BLANK = True


class Scrolled(VerticalScroll, can_focus=False):
    """A container that scrolls, but is no stop on the way of the tab key."""

    BLANK = True
