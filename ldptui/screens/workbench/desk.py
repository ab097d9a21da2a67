"""The desk: the view of the screen that the parts of its work in other files have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from textual.app import App

if TYPE_CHECKING:
    from textual.message import Message
    from textual.timer import Timer
    from textual.widget import Widget

    from ...engine.playback import Playback
    from ...session.draft import Draft
    from ...session.shelf import Shelf
    from .charts import ChartsPane


class Desk(Protocol):
    """The draft and the runs that are worked on, and what can be done with them."""

    @property
    def app(self) -> App[Any]: ...
    @property
    def charts(self) -> ChartsPane: ...
    @property
    def is_mounted(self) -> bool: ...

    draft: Draft | None
    shelf: Shelf

    def post_message(self, message: Message) -> bool: ...
    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer: ...

    def note(self, note: str) -> None:
        """Say something in the status line for a while."""

    def busy(self, doing: str) -> None:
        """Note what goes on, "" for nothing."""

    def take_draft(self, draft: Draft, edit: str = ...) -> None:
        """Work on this draft; what was before can be had back."""

    def open_draft(self, draft: Draft) -> None:
        """Work on another scenario: a playback is left, and no chart of the one before stays."""

    def keep(self, shelf: Shelf, soon: bool = False) -> None:
        """Show this shelf; soon: in a moment, unless there is more to show before."""

    def show(self) -> None:
        """Show again what is on the shelf."""

    def choose(self, shown: int, overlays: tuple[int, ...] = (), note: str = "") -> None:
        """Show a run, by its key, and lay others over it; then say something."""

    def action_run(self, resumed: int | None = None) -> None:
        """Run the scenario; resumed: go on with that run of the store."""

    def play(self, playback: Playback, draft: Draft) -> None:
        """Work on a playback's scenario, and play it from the start."""

    def action_pane(self, number: int, control: Widget | None = None) -> None:
        """Show a pane and put the focus into it: on that control, else on the last one."""
