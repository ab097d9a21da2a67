"""The last line: the keys that matter now, those of the pane first, at most eight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from rich.cells import cell_len
from textual.binding import Binding
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from .blank import call_on_resize
from .words import DOT

MOST: Final = 8
"""Hints at most: more are looked up with `?` or in the palette."""
USE: Final = (
    "pane(1)", "group(1)", "run", "help", "command_palette", "file", "leave", "view",
    "lab('deployment')", "open", "lab", "export", "save", "zoom",
)  # fmt: skip
"""The actions of the whole screen, the most useful first."""
ALWAYS: Final = 7
"""So many of these, where they are hints, come before any key of a pane but its first."""
RULE: Final = " │ "
"""What stands between the keys of the pane and those of the whole screen."""
MUTED: Final = "$foreground-muted"
STOP: Final = "run.cancel"
"""The binding of escape, which goes back or stops what runs."""


def group_words(screen: Screen[Any]) -> str:
    """The hint for keys of the focused widget and its screen that have a common hint: "↑ ↓ rows ·
    …".
    """
    groups: dict[str, dict[str, str]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.group is not None and active.enabled:
            keys = groups.setdefault(binding.group.description, {})
            keys.setdefault(binding.action, screen.app.get_key_display(binding))
    return DOT.join(f"{_in_short([*keys.values()])} {name}" for name, keys in groups.items())


def _in_short(keys: list[str]) -> str:
    return f"{keys[0]} … {keys[-1]}" if len(keys) > 2 else " ".join(keys)


class KeyHints(Widget):
    """The line of key hints: keys of the focused pane, then of the screen, as many as fit uncut.

    There are at most eight.

    stops, back : True to show esc first, which stops the run, or goes back from an enlarged pane.
    omitted : the id of a binding without a hint.
    """

    stops: reactive[bool] = reactive(False)
    back: reactive[bool] = reactive(False)
    omitted: reactive[str] = reactive("")

    def __init__(self) -> None:
        super().__init__()
        self._hints: tuple[list[Binding], list[Binding]] = [], []

    def on_mount(self) -> None:
        # Behind what the key does: the rows between a field and this line are drawn but once.
        self.screen.bindings_updated_signal.subscribe(
            self, lambda _: self.call_after_refresh(self.choose)
        )
        call_on_resize(self, self.choose)
        for name in ("stops", "back", "omitted"):
            self.watch(self, name, self.choose, init=False)

    def choose(self, _: object = None) -> None:
        """Update the hints after the focus has moved, unless that was the end of the app."""
        if not self.is_attached:
            return
        own: list[Binding] = []
        shared: list[Binding] = []
        seen: set[tuple[int, str]] = set()
        for active in self.screen.active_bindings.values():
            binding, is_shared = active.binding, active.node in (self.screen, self.app)
            action = (id(active.node), binding.action)  # it may have several keys
            if is_shared and binding.id == STOP and (self.stops or self.back):
                own.insert(0, replace(binding, description="Back" if self.back else "Stop"))
            elif binding.id == self.omitted or not (binding.show and active.enabled):
                continue
            elif action not in seen:
                seen.add(action)
                (shared if is_shared else own).append(binding)
        shared.sort(key=lambda each: USE.index(each.action) if each.action in USE else len(USE))
        chosen: list[Binding] = []
        room = self.content_size.width - len(RULE) + 4
        always = sum(each.action in USE[:ALWAYS] for each in shared)
        for binding in (*own[:1], *shared[:always], *own[1:], *shared[always:]):
            if len(chosen) < MOST and (width := self._width(binding)) <= room:
                chosen.append(binding)
                room -= width
        hints = (
            [each for each in own if each in chosen],
            [each for each in shared if each in chosen],
        )
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def _width(self, hint: Binding) -> int:
        """The cells of a hint and of the blanks after it."""
        return cell_len(f"{self.app.get_key_display(hint)} {hint.description}  ")

    def render(self) -> Content:
        groups = []
        for hints in filter(None, self._hints):
            words = ((self.app.get_key_display(each), each) for each in hints)
            groups.append(Content("  ").join(
                Content.assemble((key, "$text-accent bold"), (f" {binding.description}", MUTED))
                .stylize(Style.from_meta({"@click": f"run_binding({binding.key!r})"}))
                for key, binding in words
            ))  # fmt: skip
        return Content.styled(RULE, MUTED).join(groups)

    def action_run_binding(self, key: str) -> None:
        """Run the key binding of a clicked hint."""
        self.app.simulate_key(key.split(",")[0])
