"""The list below the cursor of the script: the words that complete what is typed."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.geometry import Offset
from textual.widgets.option_list import Option

from ...session.draft.completion import Offer
from ...widgets.field import muted
from ...widgets.option_list import OptionList

_WIDEST: Final = 56


class CompletionList(OptionList, can_focus=False):
    """Hangs below the cursor; the editor, which keeps the focus, moves in it and takes from it."""

    DEFAULT_CSS = """
    CompletionList {
        overlay: screen;
        constrain: inside inflect;
        display: none;
        width: auto;
        height: auto;
        max-height: 8;
        padding: 0;
        border: none;
        background: $panel;
        color: $foreground;
        scrollbar-size-vertical: 1;
        & > .option-list--option { padding: 0 1; }
        & > .option-list--option-highlighted {
            background: $accent 30%;
            color: $foreground;
            text-style: bold;
        }
        &:ansi > .option-list--option-highlighted { text-style: reverse; }
    }
    """

    def __init__(self) -> None:
        super().__init__(compact=True, markup=False)
        self.offers: tuple[Offer, ...] = ()

    def show(self, offers: tuple[Offer, ...], below: Offset) -> None:
        """Offer these at a place of the screen; none of them closes the list."""
        if offers != self.offers:
            self.offers = offers
            self.clear_options()
            self.add_options(Option(line) for line in self._prompts())
            if offers:
                self.highlighted = 0
        self.absolute_offset = below
        self.display = bool(offers)

    @property
    def chosen(self) -> Offer | None:
        """The one that is marked; None while the list is closed."""
        if not self.display or self.highlighted is None:
            return None
        return self.offers[self.highlighted]

    def _prompts(self) -> list[Content]:
        wide = max((len(offer.text) for offer in self.offers), default=0)
        lines = []
        for offer in self.offers:
            line = Content(offer.text.ljust(wide))
            if offer.meaning:
                line += Content.styled(f"  {offer.meaning}", muted(self))
            lines.append(line.truncate(_WIDEST, ellipsis=True))
        return lines
