"""The content of the palette: actions with their keys, values, scenarios, themes, charsets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from textual.actions import parse
from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider
from textual.widget import Widget

from ..catalogue import key_words, kind_words, listed_keys, listed_kinds
from ..messages import KeyEdited, StatusNote
from ..session.draft import used_keys, value_of
from ..terminal import keyboard, settings
from ..text.format import to_ascii
from ..text.number import read_number
from ..text.synonyms import SYNONYMS, are_in
from .workbench.title import NAMES

if TYPE_CHECKING:
    from ..session.draft import Draft
    from .workbench.charts import ChartsPane
    from .workbench.screen import WorkbenchScreen

Do: TypeAlias = Callable[[], object]

OURS: Final = f"{__name__.partition('.')[0]}."
"""The beginning of the name of every module of the app."""

TITLES: Final = {
    "run.start": "Run all trials and the sweep",
    "file.open": "Open a scenario of the library, a file, a recording or code",
    "deployment.open": "My deployment: what can fakes do, and which defence helps?",
    "file.save": "Save the scenario",
    "file.export": "Export results, chart or screen",
    "charts.next": "Charts: Next tab",
    "lab.open": "Open the privacy lab",
    "draft.undo": "Undo the last edit",
    "pane.2": "Pane 2: Parameters",
    "help": "Help for the field and its keys",
    "run.cancel": "Stop the run, leave the replay or the zoom",
    "charts.previous": "Charts: Previous tab",
    "reports.open": "Open reports of real users",
    "lab.leave": "Stop what is computed, or back to the workbench",
    **{f"pane.{number}": f"Pane {number}: {name}" for number, name in NAMES.items()},
}
"""The titles of the whole screen's actions in the palette; what people do first comes first."""
FIRST_DONE: Final = 10
"""The titles with which the palette opens."""
PLACEHOLDER: Final = "an action, a value (beta 1%, eps 2), a protocol (olh), a scenario"
ABOUT: Final = (
    "Typed words find actions, with their keys, and fields, tabs, questions of the lab, themes and "
    "scenarios. A value is set as it is typed: beta 1%, eps 2, olh. Enter does what is marked."
)
"""The help of the palette."""
BEGUN: Final = 100.0
"""The rise in rank of a command whose words begin as those that are typed."""
FIRST: Final = 100.0
"""Its further rise where its title begins so."""
SAME: Final = 50.0
"""The rise where its help has what is typed, and the rank of a kind whose name has it."""
VALUE: Final = 1000.0
"""The rank of a value that is typed, and of a scenario after the word open."""
NEAR: Final = 0.7
"""The least likeness of a known word that takes the place of an unknown one."""
MOST: Final = 8
"""Scenarios that are offered at a time."""
SHORT: Final = 2
"""Letters that are in too many names of kinds."""


class Commands(SystemCommandsProvider):
    """The command palette (ctrl+p): commands whose title begins with the typed words come first,
    then those that contain them.

    They are collected once, when the palette opens, as that takes longer than a keystroke may.
    """

    async def startup(self) -> None:
        from .library_screen import bundled_entries

        self._listed = [*self.app.get_system_commands(self.screen)]
        bundled_entries()  # read before a key waits for them

    async def discover(self) -> Hits:
        """The commands shown before anything is typed."""
        by_title = {command.title: command for command in self._listed}
        for title in [*TITLES.values()][:FIRST_DONE]:
            if (command := by_title.get(title)) is not None:
                yield DiscoveryHit(title, command.callback, help=command.help)

    async def search(self, query: str) -> Hits:
        hits = [*self._hits(query)]
        if not hits and (near := self._near(query)):
            without = f"Nothing has “{query}”; this has “{near}”."
            hits = [replace(hit, help=f"{without} {hit.help}") for hit in self._hits(near)]
        for hit in hits or [Hit(1.0, f"Nothing has “{query}”", _stay, help=PLACEHOLDER)]:
            shown, help_ = (str(words).replace("[", "\\[") for words in (hit.prompt, hit.help))
            yield replace(hit, match_display=shown, help=help_)  # as markup, which they are none

    def _hits(self, query: str) -> Iterator[Hit]:
        typed = query.casefold().split()
        for title, words, callback, _ in self._listed:
            plain = f"{title} {to_ascii(title)}".casefold()
            same = SAME * (query.casefold() in words.casefold())
            if are_in(query, plain):
                begun = all(re.search(rf"(?<![a-z0-9]){re.escape(word)}", plain) for word in typed)
                first = f": {query.casefold()}" in f": {plain}"  # as "one" in "Tab: One report"
                rank = 1.0 + max(BEGUN * begun + FIRST * first, same)
                yield Hit(rank, title, callback, help=words)
            elif are_in(query, f"{plain} {words}"):
                yield Hit(0.5 + same, title, callback, help=words)
        workbench = cast("Any", self.app).workbench
        if workbench.draft is not None and typed:
            yield from self._value_hits(workbench, query)

    def _near(self, query: str) -> str:
        """The typed text with each unknown word replaced by the nearest known one; "" if there is
        none.
        """
        texts = [f"{title} {words}".casefold() for title, words, *_ in self._listed]
        known = {*re.findall(r"[a-z-]{3,}", " ".join(texts)), *SYNONYMS}

        def nearest(word: str) -> str:
            if any(are_in(word, text) for text in texts):
                return word
            return "".join(get_close_matches(word, known, 1, NEAR))

        words = query.casefold().split()
        near = [nearest(word) for word in words]
        return " ".join(near) if all(near) and near != words else ""

    def _value_hits(self, workbench: WorkbenchScreen, query: str) -> Iterator[Hit]:
        """Yields values of the scenario, and scenarios to open: "oue", "eps 2", "open fake"."""
        from .library_screen import entries
        from .workbench.file_actions import open_path

        words = query.casefold().split()
        for at, (key, value, title) in enumerate(values(cast("Draft", workbench.draft), query)):
            set_it = partial(self._set, workbench, key, value, title)
            yield Hit(VALUE - at, title, set_it, help=f"Set {key} in the scenario")
        for table in KINDS:
            name = query.casefold().removeprefix(table).strip()
            for kind in listed_kinds(table):
                named = kind_words(table, kind)
                title = f"{table.capitalize()}: {named.name}"
                if kind == name or (len(query) > SHORT and are_in(query, title)):
                    set_it = partial(self._set, workbench, f"{table}.kind", kind, title)
                    yield Hit(VALUE if kind == name else SAME, title, set_it, help=named.reason)
        asked = words[0] == "open" and len(words) > 1
        name = " ".join(words[1:] if asked else words)
        fitting = [entry for entry in entries() if entry.matches(name)]
        for at, entry in enumerate(sorted(fitting, key=lambda entry: entry.rank(name))[:MOST]):
            is_named = all(word in entry.name for word in name.split())
            score = VALUE - at if asked else BEGUN - at if is_named else 0.4 - at / 100
            opens = _on(self.app, workbench, open_path, workbench, entry.path)
            yield Hit(score, f"Open {entry.name}", opens, help=entry.title)

    def _set(self, workbench: WorkbenchScreen, key: str, value: Any, title: str) -> None:
        workbench.post_message(KeyEdited(key, value))
        if self.app.screen is not workbench:  # whose form shows it
            self.app.screen.post_message(StatusNote(f"{title} in the scenario"))


def _stay() -> None:
    """Do nothing; the callback of a line that is no command."""


def _on(app: App[Any], screen: Screen[Any], do: Callable[..., object], *args: Any) -> Do:
    """The function that closes the screens above a screen, then calls `do`."""

    def act() -> None:
        while app.screen is not screen and len(app.screen_stack) > 1:
            app.pop_screen()
        do(*args)

    return act


def commands(app: Any, screen: Screen[Any]) -> Iterator[SystemCommand]:
    """The commands of this screen, then those of the workbench; themes, and the rest.

    If both screens have an action of one name, such as help, that of this screen is taken.
    """
    from .lab.commands import question_commands

    workbench, listed = app.workbench, set[str]()
    for shown in dict.fromkeys((screen, workbench)):
        for node in _nodes(app, shown):
            for action, command in _actions(app, shown, node):
                name = action if isinstance(node, Screen) else command.title
                if name not in listed:
                    listed.add(name)
                    yield command
    yield from _fields(app, workbench)
    yield from question_commands(workbench)
    for name in settings.themes():
        if name in app.available_themes:
            use = partial(setattr, app, "theme", name)
            yield SystemCommand(f"Theme: {name}", "The colours of everything", use)
    for charset, words in CHARSETS.items():
        use, about = partial(_set_charset, app, charset), f"What charts are drawn with: {words}"
        yield SystemCommand(f"Charset: {charset}", about, use)
    where = "Write what is on the screen to a file in the current folder"
    yield SystemCommand("Save screenshot (SVG)", where, partial(_screenshot, app))
    yield SystemCommand("Debug info", "Versions, paths and terminal", partial(_debug, app))
    about = "All keys, for the settings file"
    yield SystemCommand("Key bindings as TOML", about, partial(_keys, app))


CHARSETS: Final = {"ascii": "for any font", "braille": "the finest"}


def _nodes(app: App[Any], screen: Screen[Any]) -> Iterator[DOMNode]:
    """Yields the widgets whose actions apply: those alone of their kind, and those around the
    focus.

    Widgets of a tab that is not open are left out.
    """
    nodes = [app, screen, *screen.query("*")]
    kinds, focused = Counter(map(type, nodes)), screen.focused
    inside = focused.ancestors_with_self if focused is not None else []
    for node in nodes:
        tabs = (each for each in node.ancestors_with_self if each.has_class("sheet"))
        if (kinds[type(node)] == 1 or node in inside) and all(tab.display for tab in tabs):
            yield node


def _actions(
    app: App[Any], screen: Screen[Any], node: DOMNode
) -> Iterator[tuple[str, SystemCommand]]:
    """Yields each available action of a widget, and its command with all its keys."""
    bindings: dict[str, list[Binding]] = {}
    for base in type(node).__mro__:
        for binding in vars(base).get("BINDINGS", ()) if base.__module__.startswith(OURS) else ():
            if isinstance(binding, Binding) and binding.id and binding.id != "app.palette":
                bindings.setdefault(binding.action, []).append(binding)
    for action, same in bindings.items():
        _, name, arguments = parse(action)
        if node.check_action(name, arguments):
            keys = dict.fromkeys(key for binding in same for key in keys_of(app, binding))
            act: Do = partial(_act, app, screen, node, action)
            if node is not app:  # what the app does has no screen
                act = _on(app, screen, act)
            yield action, SystemCommand(_title(node, same[0]), f"key: {' '.join(keys)}", act)


def _fields(app: App[Any], screen: Any) -> Iterator[SystemCommand]:
    """A command for each field of the workbench's forms and each tab of its charts."""
    from .workbench.charts import ChartsPane
    from .workbench.panes import Panes

    for panes in screen.query(Panes):
        by_key = {field.key: (number, field) for number, field in reversed([*panes.fields()])}
        for key, (number, field) in by_key.items():
            if not key.startswith("sweep."):  # of the key that is opened in its list
                go = _on(app, screen, screen.action_pane, number, field.control)
                title = f"Field: {field_title(screen.draft, key)}"
                yield SystemCommand(title, key_words(key).first, go)
    for charts in screen.query(ChartsPane):
        for tab, title in charts.tabs():
            words = "A tab of the charts; keys: 4, then ← and →"
            show = _on(app, screen, _show_tab, screen, charts, tab)
            yield SystemCommand(f"Tab: {title}", words, show)
        if "trials" in dict(charts.tabs()):
            words = "Intervals that hold whatever the fakes of this scenario send (tab Trials, v)"
            show = _on(app, screen, _show_tab, screen, charts, "trials", "intervals")
            yield SystemCommand("Conclude from this scenario", words, show)


def field_title(draft: Draft, key: str) -> str:
    """The title of a field, in a list with its place: `share of fakes β, phase 2`."""
    from .workbench.attack_pane import PLACES
    from .workbench.attack_rows import place_of

    title, table, places = key_words(key).title, key, list[str]()
    while (place := place_of(draft, table)) is not None:
        table, at = place
        places.insert(0, f"{PLACES.get(table, 'part')} {at + 1}")
    return ", ".join([title, *places])


def keys_of(app: App[Any], binding: Binding) -> list[str]:
    """The current keys of a binding, written as in key hints; alt+digit keys once."""
    changed = getattr(getattr(app, "settings", None), "keys", {})
    keys = map(str.strip, changed.get(binding.id, binding.key).split(","))
    shown = (Binding(key, "") for key in keys if key not in keyboard.ALT_DIGITS)
    return [app.get_key_display(binding) for binding in shown]


def _title(node: DOMNode, binding: Binding) -> str:
    """The title of a command: a pane's actions begin with its name."""
    name = str(binding.id)
    if name in TITLES or isinstance(node, Screen):
        return TITLES.get(name, binding.description)
    around = (each for each in node.ancestors_with_self if isinstance(each, Widget))
    title = next((str(each.border_title) for each in around if each.border_title), "")
    words = title.partition(" · ")[0]  # without its setting, or its result
    pane, part = Content.from_markup(words).plain.lstrip("─0123456789 "), name.partition(".")[0]
    inside = "" if part == pane.casefold() else f", {part}"
    return f"{pane}{inside}: {binding.description}" if pane else binding.description


def _act(app: App[Any], screen: Any, node: DOMNode, action: str) -> None:
    """Run an action on its widget, after its pane is shown."""
    for ancestor in node.ancestors_with_self:
        if ancestor.id and ancestor.id.startswith("pane-"):
            screen.pane = int(ancestor.id.removeprefix("pane-"))
    app.call_later(app.run_action, action, node)


def _show_tab(screen: Any, charts: ChartsPane, tab: str, view: str = "") -> None:
    screen.pane = 4
    if view:
        charts.show_view(tab, view)
    else:
        charts.tab = tab
    # Behind the watcher of the tab, which makes its view: both wait in one line.
    charts.call_next(charts.focus_first)


def _set_charset(app: Any, charset: str) -> None:
    app.charset = charset
    app.screen.refresh(layout=True)
    for widget in app.screen.query("*"):
        widget.refresh()


def _screenshot(app: App[Any]) -> None:
    from ..session.exporting import default_path, write

    picture = app.export_screenshot(title="ldptui", simplify=True)
    app.notify(write(default_path("svg", chart="screen"), picture))


def _debug(app: App[Any]) -> None:
    from ..terminal.crash import debug_info
    from .dialogs.prompts import TextScreen

    app.push_screen(TextScreen("Debug info", debug_info(app)))


def _keys(app: Any) -> None:
    from .dialogs.prompts import TextScreen

    app.push_screen(TextScreen("Keys", settings.default_keys(app.settings.keys)))


KINDS: Final = ("protocol", "attack", "population")
"""The tables whose kind can be typed alone."""
NUMBER: Final = re.compile(r"(.+?)[=\s]*([+-]?[0-9.].*)")


def values(draft: Draft, typed: str) -> Iterator[tuple[str, Any, str]]:
    """Yields the edits of numbers that typed words can mean: key, value and a description of the
    edit.
    """
    match = NUMBER.fullmatch(typed.casefold().strip())
    number = read_number(match[2]) if match else None
    if match is None or number is None:
        return
    value = int(number) if number == number.to_integral_value() else float(number)
    numbers = [key for key in listed_keys() if _is_number(draft, key)]
    exact = [key for key in numbers if match[1] in _names(key)]
    for key in exact or [key for key in numbers if _begins(key, match[1])]:
        yield key, value, f"{key_words(key).title}: {match[2]}"


def _is_number(draft: Draft, key: str) -> bool:
    """True for a key that has a number in this draft, or may have one."""
    table, _, leaf = key.rpartition(".")
    value = value_of(draft, key)
    known = value is not None or (table in KINDS and leaf in used_keys(draft, table))
    return known and not isinstance(value, str | bool | list)


def _names(key: str) -> tuple[str, ...]:
    """The symbol of a key, as it is and in ASCII, and the last part of its name."""
    symbol = key_words(key).symbol
    return symbol.casefold(), to_ascii(symbol).casefold(), key.rpartition(".")[2]


def _begins(key: str, words: str) -> bool:
    """True if a name of the key begins with the words, or each word begins a word of its title."""
    if len(words) > 2 and any(name.startswith(words) for name in _names(key)):
        return True
    titled = key_words(key).name.casefold().split()
    return all(any(each.startswith(word) for each in titled) for word in words.split())
