"""The base of every dialog: a screen over another one, and its frame."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import screen
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ScreenResultType
from textual.widget import Widget

from ..messages import HelpAsked
from .words import parts_within


class ModalScreen(screen.ModalScreen[ScreenResultType]):
    """The base of dialogs: a screen in the middle of another one, which closes only once; its
    result is None if it is cancelled.

    help_key : the key whose help f1 shows; "" for none.
    help_words : what f1 says of a dialog without such a key; "" for nothing.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", show=False, id="dialog.help"),
    ]

    # Not relative: that would be from the module of each dialog.
    CSS_PATH = Path(__file__).parents[1] / "screens/dialogs.tcss"
    help_key = help_words = ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return False for help where there is none."""
        return action != "help" or bool(self.help_key or self.help_words)

    def action_help(self) -> None:
        self.post_message(HelpAsked(self.help_key, self.help_words))

    def action_leave(self) -> None:
        self.dismiss(None)

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close the dialog, unless it is closed already (by the second of two clicks)."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Dialog(Vertical):
    """The frame of a dialog: its title above, the keys that close it below."""

    def __init__(
        self,
        title: str,
        hint: str,
        *children: Widget,
        id: str | None = None,  # noqa: A002 - Textual's name for it
        classes: str = "",
    ) -> None:
        super().__init__(*children, id=id, classes=classes)
        self.border_title = title
        self.border_subtitle = self._hint = hint

    def on_resize(self) -> None:
        self.border_subtitle = parts_within(self._hint, self.size.width - 2)
