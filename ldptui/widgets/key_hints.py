"""The last line: the keys that matter now, in groups: what one does here, what runs, what helps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from .blank import fitted

USE: Final = {
    action: place
    for place, action in enumerate(
        ("run", "help", "command_palette", "leave", "zoom", "lab", "export", "save", "open")
    )
}
"""The global keys that are shown when not all of them fit, the most useful first."""
ALWAYS: Final = 4
"""So many of these come before any key of a pane."""
RUNS: Final = (
    "run.start", "file.save", "file.open", "file.export", "lab.take", "lab.file", "lab.export",
)  # fmt: skip
"""The keys that do something with the whole scenario, or with a file: the second group."""
HELPS: Final = ("lab.open", "lab.open.anywhere", "help", "lab.help", "app.quit", "app.palette")
"""The keys that lead elsewhere: the last group. All others are for what one does now."""
WIDE_GAP: Final = 2
RULE: Final = " │ "
"""What stands between two groups."""
STOP: Final = "run.cancel"
"""The binding of escape, which goes back or stops what runs."""


class KeyHints(Widget):
    """Keys of the focused pane, then what runs, then help; as many as fit, none cut in half.

    A rule stands between two groups. Where they do not all fit they stand closer. The most useful
    global keys have room before any key of a pane, the others after all of them. stops, back :
    escape, which is no hint else, is the first: it stops what runs, or before that goes back from a
    pane that is zoomed.
    """

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

    stops: reactive[bool] = reactive(False, init=False)
    back: reactive[bool] = reactive(False, init=False)

    def __init__(self) -> None:
        super().__init__()
        self._hints: list[Binding] = []
        self._gap = WIDE_GAP

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)
        fitted(self, lambda: self._bindings_changed(self.screen))

    def watch_stops(self) -> None:
        self._bindings_changed(self.screen)

    def watch_back(self) -> None:
        self._bindings_changed(self.screen)

    def _bindings_changed(self, _: Screen[object]) -> None:
        shown = self._shown()
        if shown != (self._hints, self._gap):
            self._hints, self._gap = shown
            self.refresh()

    def _shown(self) -> tuple[list[Binding], int]:
        """Bindings to show, in the order of their groups, and the cells between them."""
        ours: list[Binding] = []
        other: list[Binding] = []
        first: list[Binding] = []
        seen: set[tuple[int, str]] = set()
        for active in self.screen.active_bindings.values():
            binding, mine = active.binding, active.node in (self.screen, self.app)
            action = (id(active.node), binding.action)  # it may have several keys
            if mine and binding.id == STOP and (self.stops or self.back):
                first.append(replace(binding, description="Back" if self.back else "Stop"))
            if not binding.show or not active.enabled or action in seen:
                continue
            seen.add(action)
            (ours if mine else other).append(binding)
        declared = [binding.id for node in (self.screen, self.app) for binding in node.BINDINGS
                    if isinstance(binding, Binding)]  # fmt: skip
        ours.sort(  # a key of the settings comes last
            key=lambda binding: (_group(binding), declared.index(binding.id))
        )
        room = self.content_size.width
        every = [*first, *other, *ours]
        for gap in (WIDE_GAP, 1):
            if self._taken(every, gap) <= room:
                return every, gap
        by_use = sorted(ours, key=lambda binding: USE.get(binding.action, len(USE)))
        hints: list[Binding] = []
        for binding in (*first, *by_use[:ALWAYS], *other, *by_use[ALWAYS:]):
            if self._taken([each for each in every if each in (*hints, binding)], 1) <= room:
                hints.append(binding)
        return [binding for binding in every if binding in hints], 1

    def _joints(self, hints: Sequence[Binding], gap: int) -> list[str]:
        """What stands before each hint: nothing, a gap, or the rule between two groups."""
        groups = list(map(_group, hints))
        return ["" if at == 0 else RULE if groups[at] != groups[at - 1] else " " * gap
                for at in range(len(hints))]  # fmt: skip

    def _taken(self, hints: Sequence[Binding], gap: int) -> int:
        """The width of the hints in a row, in cells."""
        keys = sum(cell_len(self.app.get_key_display(binding)) for binding in hints)
        words = sum(1 + cell_len(binding.description) for binding in hints)
        return keys + words + sum(map(len, self._joints(hints, gap)))

    def render(self) -> Text:
        key_style = self.get_component_rich_style("hints--key", partial=True)
        text_style = self.get_component_rich_style("hints--text", partial=True)
        line = Text(no_wrap=True)
        for binding, joint in zip(self._hints, self._joints(self._hints, self._gap), strict=True):
            key = self.app.get_key_display(binding)
            meta = {"@click": f"run_binding({binding.key!r})"}
            line.append(joint, text_style)
            start = len(line)
            line.append(key, key_style).append(f" {binding.description}", text_style)
            line.apply_meta(meta, start, len(line))
        return line

    def action_run_binding(self, key: str) -> None:
        """A click on a hint is its key."""
        self.app.simulate_key(key.split(",")[0])


def _group(binding: Binding) -> int:
    """The group of a key: 0 what one does now, 1 what runs, 2 what leads elsewhere."""
    return 1 if binding.id in RUNS else 2 if binding.id in HELPS else 0
