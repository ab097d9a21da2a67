"""The command palette: every action with its key, the themes, the charsets."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual import work
from textual.actions import parse
from textual.app import App, ComposeResult, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.command import CommandInput, CommandPalette, SearchIcon
from textual.command import CommandList as TextualCommandList
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.errors import NoWidget
from textual.events import Click, InputEvent, Mount
from textual.keys import format_key
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, LoadingIndicator
from textual.widgets import OptionList as TextualOptionList

from .terminal import settings
from .widgets.dialog import close_once
from .widgets.option_list import hear_click

if TYPE_CHECKING:
    from .screens.workbench.charts import ChartsPane

TITLES: Final = {
    "app.quit": "Quit",
    "run.start": "Run all trials and the sweep",
    "run.cancel": "Cancel: leave the field, or stop the run",
    "file.save": "Save the scenario",
    "file.open": "Open a scenario by its path",
    "file.library": "Open a scenario of the library",
    "file.export": "Export results, chart or screen",
    "chart.copy": "Copy the chart or the table",
    "charts.previous": "Charts: Previous tab",
    "charts.next": "Charts: Next tab",
    "help": "Help for the field and its keys",
    "lab.open": "Open the privacy lab",
    "lab.leave": "Stop what is computed, or back to the workbench",
    "lab.help": "Help for the tab, its field and its keys",
    "lab.copy": "Copy the chart or the table",
    "pane.1": "Pane 1: Protocol",
    "pane.2": "Pane 2: Parameters",
    "pane.3": "Pane 3: Attack",
    "pane.4": "Pane 4: Charts",
    "pane.5": "Pane 5: Runs",
}
"""The titles of the whole screen's actions in the palette, which has room for a few words."""


FROM_USER: Final = (InputEvent, Input.Changed, Input.Submitted, TextualOptionList.OptionSelected)


class CommandList(TextualCommandList, can_focus=False):
    """The palette's list, which stands clicks on what is gone."""

    async def _on_click(self, event: Click) -> None:
        hear_click(self, event)


class Palette(CommandPalette):
    """Textual's palette, which stands being paged while it is empty and used while it closes."""

    def compose(self) -> ComposeResult:
        """The parts of Textual's own, but for a list that stands clicks."""
        with Vertical(id="--container"):
            with Horizontal(id="--input"):
                yield SearchIcon()
                yield CommandInput(placeholder=self._placeholder, select_on_focus=False)
            with Vertical(id="--results"):
                yield CommandList()
                yield LoadingIndicator()

    def dismiss(self, result: None = None) -> AwaitComplete:
        return close_once(self, partial(super().dismiss, result))

    def _action_command_list(self, action: str) -> None:
        """Textual 8.2 looks for the line of an option before the list has lines: KeyError."""
        with suppress(KeyError):
            super()._action_command_list(action)

    async def _dispatch_message(self, message: Message) -> None:
        """Hear nothing of the user after the end.

        A second click closes the screen below, a second enter does the command again, and the
        third of a triple click selects text of a screen without styles: textual#6308.
        """
        if self.is_active or not isinstance(message, FROM_USER):
            await super()._dispatch_message(message)

    def _on_mount(self, event: Mount) -> None:
        """Textual 8.2 looks for the screen below, and there is none where it closed already."""
        if not self.is_active:
            event.prevent_default()

    def _on_click(self, event: Click) -> None:  # type: ignore[override]
        """Textual 8.2 looks for what was clicked, where the screen has shrunk since: NoWidget."""
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        """Textual 8.2 begins a search whose list is gone where the palette closes meanwhile."""
        with suppress(NoMatches):
            await CommandPalette._gather_commands.__wrapped__(self, search_value)  # type: ignore[attr-defined]


def commands(app: App[Any], screen: Screen[Any]) -> Iterator[SystemCommand]:
    """The commands of this screen: bindings with an id, themes, charsets, and the rest."""
    for node in _nodes(app, screen):
        yield from _actions(app, screen, node)
    yield from _chart_tabs(app, screen)
    for name in settings.themes():
        if name in app.available_themes:
            # The list without a query shows our own themes and the terminal's colours.
            first = name.startswith(("ldptui-", "ansi-"))
            use = partial(setattr, app, "theme", name)
            yield SystemCommand(f"Theme: {name}", "The colours of everything", use, first)
    for charset, words in CHARSETS.items():
        yield SystemCommand(
            f"Charset: {charset}",
            f"What charts are drawn with: {words}",
            partial(_set_charset, app, charset),
        )
    yield SystemCommand(
        "Save screenshot (SVG)",
        "Write what is on the screen to a file in the current folder",
        partial(_screenshot, app),
    )
    yield SystemCommand("Debug info", "Versions, paths and terminal", partial(_debug, app))
    yield SystemCommand(
        "Key bindings as TOML", "All keys, for the settings file", partial(_keys, app)
    )


CHARSETS: Final = {
    "ascii": "for any font",
    "block": "for most fonts",
    "braille": "the finest",
}


def _nodes(app: App[Any], screen: Screen[Any]) -> Iterator[DOMNode]:
    """The nodes that have actions, one of each kind: the one with the focus, if a kind has many."""
    focused = screen.focused
    by_kind: dict[type[DOMNode], list[DOMNode]] = {}
    for node in (app, screen, *screen.query("*")):
        if not any(ancestor.has_class("sheet") for ancestor in node.ancestors_with_self):
            by_kind.setdefault(type(node), []).append(node)
    for nodes in by_kind.values():
        if len(nodes) == 1 or focused in nodes:
            yield nodes[0] if focused is None or focused not in nodes else focused


def _actions(app: App[Any], screen: Screen[Any], node: DOMNode) -> Iterator[SystemCommand]:
    """A command for each action of a node."""
    for action, bindings in _by_action(type(node)).items():
        _, name, arguments = parse(action)
        now = node.check_action(name, arguments)
        yield SystemCommand(
            _title(node, bindings),
            _help(app, bindings) + ("" if now else " (has no effect on what is shown now)"),
            partial(_act, app, screen, node, action),
            # Moving about in a list is found by its name, but is no suggestion.
            node in (app, screen) or any(binding.show for binding in bindings),
        )


def _chart_tabs(app: App[Any], screen: Screen[Any]) -> Iterator[SystemCommand]:
    """A command for each tab of the charts, and for each action of the views that tabs have."""
    from .screens.workbench.charts import ChartsPane

    for charts in screen.query(ChartsPane):
        for tab, title in charts.tabs():
            yield SystemCommand(
                f"Tab: {title}",
                "A tab of the charts; keys: 4, then ← and →",
                partial(_show_tab, screen, charts, tab),
            )
        for tab, title, kind in _sheets():
            for action, bindings in _by_action(kind).items():
                yield SystemCommand(
                    f"{title}: {_words(bindings)}",
                    _help(app, bindings),
                    partial(_act_in_tab, app, screen, charts, tab, kind, action),
                    any(binding.show for binding in bindings),
                )


def _sheets() -> tuple[tuple[str, str, type[Widget]], ...]:
    """The views of the charts pane that are made when their tab is first shown: tab, title."""
    from .screens.workbench.equations import EquationsView
    from .screens.workbench.report import ReportView
    from .widgets.number_table import FilteredTable, NumberTable

    return (
        ("report", "One report", ReportView),
        ("table", "Table", NumberTable),
        ("table", "Table", FilteredTable),
        ("equations", "Equations", EquationsView),
    )


def _by_action(kind: type[DOMNode]) -> dict[str, list[Binding]]:
    """The bindings with an id that ldptui gave to a class or its bases, by what they do."""
    by_action: dict[str, list[Binding]] = {}
    for base in kind.__mro__:
        if base.__module__.startswith(f"{__package__}."):
            for binding in vars(base).get("BINDINGS", ()):
                if not isinstance(binding, Binding) or binding.id is None:
                    continue
                if binding.action != "command_palette":
                    by_action.setdefault(binding.action, []).append(binding)
    return by_action


def _words(bindings: list[Binding]) -> str:
    return bindings[0].description or str(bindings[0].id)


def _help(app: App[Any], bindings: list[Binding]) -> str:
    return "key: " + " ".join(
        dict.fromkeys(key for binding in bindings for key in keys_of(app, binding))
    )


def keys_of(app: App[Any], binding: Binding) -> list[str]:
    """The keys of a binding as they are now, written as the key hints write them."""
    changed = getattr(getattr(app, "settings", None), "keys", {})
    keys = changed.get(binding.id, binding.key).split(",")
    return [_written(key.strip()) for key in keys]


def _written(key: str) -> str:
    """A key as the key hints write it; Textual leaves the names of some characters."""
    word = key if len(key) == 1 else format_key(key)
    try:
        return unicodedata.lookup(word.replace("_", " ")) if "_" in word else word
    except KeyError:
        return word


def _title(node: DOMNode, bindings: list[Binding]) -> str:
    """The title of a command: a pane's actions begin with its name."""
    if str(bindings[0].id) in TITLES:
        return TITLES[str(bindings[0].id)]
    if not isinstance(node, Screen):
        for ancestor in node.ancestors_with_self:
            title = ancestor.border_title if isinstance(ancestor, Widget) else None
            if title:
                words = Content.from_markup(str(title)).plain.lstrip("0123456789 ")
                pane = words.partition(" · ")[0]  # without its setting, or its result
                part = str(bindings[0].id).partition(".")[0]
                inside = "" if part == pane.casefold() else f", {part}"
                return f"{pane}{inside}: {_words(bindings)}"
    return _words(bindings)


def _act(app: App[Any], screen: Screen[Any], node: DOMNode, action: str) -> None:
    """Do it where it belongs: the pane comes to the front first."""
    for ancestor in node.ancestors_with_self:
        if ancestor.id and ancestor.id.startswith("pane-"):
            _show_pane(screen, ancestor.id)
    app.call_later(app.run_action, action, node)


def _show_pane(screen: Screen[Any], name: str) -> None:
    if hasattr(screen, "pane"):
        screen.pane = int(name.removeprefix("pane-"))


def _show_tab(screen: Screen[Any], charts: ChartsPane, tab: str) -> None:
    _show_pane(screen, charts.id or "pane-4")
    charts.tab = tab  # type: ignore[assignment]
    # Behind the watcher of the tab, which makes its view: both wait in one line.
    charts.call_next(charts.focus_first)


def _act_in_tab(
    app: App[Any],
    screen: Screen[Any],
    charts: ChartsPane,
    tab: str,
    kind: type[Widget],
    action: str,
) -> None:
    async def act() -> None:
        for view in charts.query(kind):
            await app.run_action(action, view)

    _show_tab(screen, charts, tab)
    charts.call_next(act)


def _set_charset(app: App[Any], charset: str) -> None:
    app.charset = charset  # type: ignore[attr-defined]
    app.screen.refresh(layout=True)
    for widget in app.screen.query("*"):
        widget.refresh()


def _screenshot(app: App[Any]) -> None:
    from .session.exporting import default_path, picture_of, write

    app.notify(write(default_path("screen-svg"), picture_of(app)))


def _debug(app: App[Any]) -> None:
    from .screens.dialogs.text import TextScreen

    app.push_screen(TextScreen("Debug info", debug_info(app)))


def _keys(app: App[Any]) -> None:
    from .screens.dialogs.text import TextScreen

    changed = getattr(getattr(app, "settings", None), "keys", {})
    app.push_screen(TextScreen("Keys", settings.default_keys(changed)))


def debug_info(app: App[Any]) -> str:
    """The facts that a report of a problem should contain; nothing of the scenario."""
    import os
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, version

    from . import __version__
    from .terminal import places

    rows = [("ldptui", __version__), ("Python", platform.python_version())]
    for name in ("textual", "plotext", "numpy", "scipy", "pydantic", "xxhash"):
        try:
            rows.append((name, version(name)))
        except PackageNotFoundError:
            rows.append((name, "not installed"))
    rows += [
        ("platform", platform.platform()),
        ("size", f"{app.size.width} × {app.size.height}"),
        ("theme", app.theme),
        ("charset", str(getattr(app, "charset", "?"))),
        ("colours", "none (NO_COLOR)" if app.no_color else str(app.console.color_system)),
        ("encoding", str(getattr(sys.__stderr__, "encoding", "?"))),
        ("settings", str(places.config_file())),
        ("scenarios", str(places.scenarios_dir())),
        ("state", str(places.state_dir())),
    ]
    for name in ("TERM", "COLORTERM", "LANG", "LC_ALL", "TMUX", "STY",
                 "SSH_CONNECTION", "TERM_PROGRAM"):  # fmt: skip
        rows.append((f"${name}", os.environ.get(name, "–")))
    return "\n".join(f"{name:<16}{value}" for name, value in rows) + "\n"
