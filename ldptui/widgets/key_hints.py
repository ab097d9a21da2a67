"""The last line: the keys that matter now, the global ones first."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget

from .fitting import fitted

ESSENTIAL = ("run", "help", "leave", "command_palette")
"""Actions whose keys are shown at every width."""


class KeyHints(Widget):
    """Global keys first, then those of the focused pane; as many as fit, none cut in half."""

    DEFAULT_CSS = """
    KeyHints {
        height: 1;
        padding: 0 1;
        background: $background;
        link-style: not underline;
        link-style-hover: underline;
        link-background-hover: $panel;
        & > .hints--key { color: $text-accent; text-style: bold; }
        & > .hints--text { color: $foreground-muted; }
    }
    """
    COMPONENT_CLASSES = {"hints--key", "hints--text"}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self._hints: list[Binding] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)
        fitted(self, lambda: self._bindings_changed(self.screen))

    def _bindings_changed(self, _: Screen[object]) -> None:
        bindings = self._shown()
        if bindings != self._hints:
            self._hints = bindings
            # In a frame of its own: Textual draws all that lies between two parts of a frame.
            self.call_after_refresh(self.refresh)

    def _shown(self) -> list[Binding]:
        """Bindings to show: the screen's and the app's, then those of what has the focus."""
        own: list[Binding] = []
        other: list[Binding] = []
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if not binding.show or not active.enabled or binding.action in seen:
                continue
            seen.add(binding.action)
            (own if active.node in (self.screen, self.app) else other).append(binding)
        bindings = own + other
        if sum(map(self._width, bindings)) > self.size.width:
            # Not all fit: what is reached from the palette too gives way to the focused pane's.
            last = [one for one in own if one.action not in ESSENTIAL]
            bindings = [*(one for one in own if one.action in ESSENTIAL), *other, *last]
        return bindings

    def _width(self, binding: Binding) -> int:
        """Cells of a hint, with the gap after it."""
        return cell_len(self.app.get_key_display(binding)) + len(binding.description) + 3

    def render(self) -> Text:
        key_style = self.get_component_rich_style("hints--key", partial=True)
        text_style = self.get_component_rich_style("hints--text", partial=True)
        line, room = Text(no_wrap=True), self.size.width - 2
        for binding in self._hints:
            key, width = self.app.get_key_display(binding), self._width(binding)
            if width > room:
                break
            room -= width
            meta = {"@click": f"run_binding({binding.key!r})"}
            start = len(line)
            line.append(key, key_style).append(f" {binding.description}", text_style)
            line.apply_meta(meta, start, len(line))
            line.append("  ")
        return line

    def action_run_binding(self, key: str) -> None:
        """A click on a hint is its key."""
        self.app.simulate_key(key.split(",")[0])
