"""The shared part of panes with fields: the field to come back to, and a form that closes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from textual import events
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.timer import Timer
from textual.widget import Widget

from ...catalogue import listed_keys, title_of
from ...session.draft import own_problem, repair_of, sweep_of, value_of
from ...terminal.keyboard import first_focus, takes_focus
from ...widgets.field import Field, ValueInput

if TYPE_CHECKING:
    from ...session.draft import Draft


BLOCK_S: Final = 0.7
"""Seconds that a script may be broken before the form closes: typing breaks it all the time."""


class FormPane(Widget):
    """A pane that remembers its field with the focus, and closes while the script is broken."""

    DEFAULT_CSS = """
    FormPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        border-subtitle-color: $text-error;
        &, & Scrolled {
            scrollbar-color: $foreground 25%;
            scrollbar-background: $background;
        }
        & .words { color: $text-muted; padding: 0 1 0 2; height: auto; }
        &:ansi .words { text-style: dim; }
    }
    """

    draft: var[Draft | None] = var(None, always_update=True)  # what changed redraws itself

    # Its content takes the room that it has: another size of it is no news.
    virtual_size = Reactive(Size(0, 0), layout=False, repaint=False)

    _last: Widget | None = None
    _block_timer: Timer | None = None

    # The focus.

    @property
    def stop(self) -> Widget:
        """The widget that had the focus last in this pane, or its first stop."""
        last = self._last
        return last if last is not None and takes_focus(last, self) else self.first_stop()

    def focus_first(self) -> None:
        """Put the focus where it was last in this pane, or on its first stop."""
        self.screen.set_focus(self.stop)

    def action_enter(self) -> None:
        self.focus_first()

    def first_stop(self) -> Widget:
        """The widget that takes the focus where none of the pane had it yet."""
        return first_focus(self) or self

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if event.widget is not self:
            self._last = event.widget

    # The script.

    def block(self, draft: Draft) -> None:
        """While the script does not parse, the form cannot write into it: soon it closes."""
        if draft.parses:
            if self._block_timer is not None:
                self._block_timer.stop()
                self._block_timer = None
            self.close(False)
        elif self._block_timer is None:
            self._block_timer = self.set_timer(BLOCK_S, self._close_if_broken)

    def _close_if_broken(self) -> None:
        if self.draft is not None and not self.draft.parses:
            self.close(True)

    def close(self, closed: bool) -> None:
        """Let nobody edit the fields, or let them again."""
        raise NotImplementedError


class Shown(Struct, frozen=True):
    """What a field shows now.

    key : the key that it edits.
    value : what it says.
    options : of a choice that offers other values than the key's own; None for those.
    follows : the value follows from others.
    label : another label than before; "" for none.
    offered : words that its text completes; None for those before.
    """

    key: str
    value: Any
    options: Sequence[tuple[Any, str]] | None = None
    follows: bool = False
    label: str = ""
    offered: Sequence[str] | None = None


def own(draft: Draft, key: str) -> Shown:
    """The value of a key as the draft has it."""
    return Shown(key, value_of(draft, key))


def said(draft: Draft, key: str) -> str:
    """The problem that the field of a key shows below itself; "" while there is none."""
    problem, repair = own_problem(draft, key), repair_of(draft)
    if problem is None:
        return ""
    return repair.words if repair is not None and problem == draft.problems[0] else problem.message


def labelled(key: str, **more: Any) -> Field:
    """A field with the name of its key."""
    return Field(key, title_of(key), **more)


def names_in(table: str) -> list[str]:
    """The names of the keys in a table, but for its kind, that have words and no table below."""
    inside = [key.removeprefix(f"{table}.") for key in listed_keys() if key.startswith(f"{table}.")]
    tables = {name.partition(".")[0] for name in inside if "." in name}
    return [name for name in inside if "." not in name and name not in {"kind", *tables}]


def fill(fields: Iterable[Field], draft: Draft, shown: Mapping[str, Shown]) -> None:
    """Show the fields that are named, by their id or else by the key they were made with.

    The others are hidden. Of several fields of one key the last says what is wrong with it.
    """
    swept, last = sweep_of(draft), {row.key: slot for slot, row in shown.items()}
    for field in fields:
        row = shown.get(field.slot)
        field.display = row is not None
        if row is None:
            continue
        field.move_to(row.key)
        field.swept, field.follows = row.key in swept, row.follows
        field.rename(row.label or field.label)
        if row.options is not None:
            field.choose_from(row.options)
        if row.offered is not None:
            field.offer(row.offered)
        if row.key.endswith(".path") and isinstance(field.control, ValueInput):
            field.control.folder = draft.folder
        field.show(row.value, said(draft, row.key) if last[row.key] == field.slot else "")
