"""A list to pick one thing from, which filters while one types: the one way to see all choices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from ..text.search import is_in
from .dialog import Dialog, ModalScreen
from .field import ValueInput
from .option_list import LineList
from .words import put, spelled

HINT: Final = "enter takes it · type to filter · ↑ ↓ · esc"
AROUND: Final = 8
"""Rows of the dialog beside the list."""
WIDEST_NAME: Final = 38
"""Cells that the names take at most; a longer one pushes its sentence on."""


class Offer(Struct, frozen=True):
    """One row of a picker.

    value : what is picked. name : its name. says : why one would pick it, in a sentence.
    refused : why it cannot be picked now; "" where it can. group : the heading that it stands
    under; the rows of a group are together. folded : whether they are shown only when the group is
    opened, or when something is typed.
    """

    value: Any
    name: str
    says: str = ""
    refused: str = ""
    group: str = ""
    folded: bool = False

    def rank(self, words: str) -> int | None:
        """The distance from what was typed, 0 the nearest; None where a word is missing."""
        typed, name = words.casefold().split(), self.name.casefold()
        group = self.group.casefold()
        text = f"{name} {str(self.value).casefold()} {self.says.casefold()} {group}"
        if not all(is_in(word, text) for word in typed):
            return None
        whole = " ".join(typed)
        tests = (
            name == whole,
            name.startswith(whole),
            all(word in name for word in typed),
            all(word in group for word in typed),
            True,
        )
        return tests.index(True)


class Filter(Input):
    """`/` begins a filter in every list: here it has begun already."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "slash" and not self.value:
            event.prevent_default()
            event.stop()
            return
        await super()._on_key(event)


class PickerScreen(ModalScreen[Offer | None]):
    """Pick one of several things; the result is its offer, None when left.

    What is typed filters; up and down choose; enter takes, or opens a folded group.
    """

    DEFAULT_CSS = """
    PickerScreen {
        Input { height: 1; border: none; padding: 0; background: transparent; }
        Input:focus { border: none; background-tint: transparent; }
        Input:nocolor > .input--cursor { text-style: underline; }
        LineList { height: auto; max-height: 100%; margin-top: 1; }
        Static { height: 2; color: $foreground-muted; margin-top: 1; }
        &:ansi Static { text-style: dim; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="picker.close"),
        Binding("down", "move(1)", "Next", show=False, priority=True, id="picker.next"),
        Binding("up", "move(-1)", "Previous", show=False, priority=True, id="picker.previous"),
        Binding("tab", "go_on(1)", "Next field", False, priority=True, id="picker.tab"),
        Binding(
            "shift+tab", "go_on(-1)", "Field before", show=False, priority=True, id="picker.back"
        ),
        Binding("pagedown", "move(8)", "Further down", show=False, id="picker.page-down"),
        Binding("pageup", "move(-8)", "Further up", show=False, id="picker.page-up"),
    ]

    def __init__(
        self,
        title: str,
        offers: Sequence[Offer],
        chosen: Any = None,
        why_not: Callable[[Any], str] | None = None,
    ) -> None:
        """A picker of `offers`. why_not : why a value cannot be picked, "" if it can; it is asked
        in a thread, and of what is taken before it is."""
        super().__init__()
        self._heading, self._offers, self._chosen = title, tuple(offers), chosen
        self._why_not = why_not
        self._words = ""
        self.tried = why_not is None
        """True once all offers were asked why they cannot be picked."""
        self._opened = {
            offer.group for offer in self._offers if offer.value == chosen or not offer.folded
        }
        self._rows: list[Offer | str] = []  # a group by its heading
        # Keys may come before what is composed is there to be asked for.
        self._list = LineList()
        self._list.can_focus = False
        self._said = Static(markup=False)
        self._dialog: Dialog | None = None

    def compose(self) -> ComposeResult:
        self._dialog = Dialog(self._heading, HINT)
        with self._dialog:
            field = Filter(placeholder="type to filter")
            field.cursor_blink = False
            yield field
            yield self._list
            yield self._said

    async def on_mount(self) -> None:
        self._fill("")
        if self._why_not is not None:
            self.run_worker(self._try_all(), exit_on_error=False)

    def on_resize(self) -> None:
        self._list.styles.max_height = max(2, int(0.92 * self.size.height) - AROUND)

    async def _try_all(self) -> None:
        """Ask of each offer whether it can be picked; the rows follow."""
        for offer in self._offers:
            if offer.value != self._chosen and not offer.refused:
                why = await asyncio.to_thread(self._why, offer.value)
                if not self.is_active:
                    return
                if why:
                    self._refuse(offer, why)
        self.tried = True

    def _why(self, value: Any) -> str:
        return self._why_not(value) if self._why_not is not None else ""

    def _refuse(self, offer: Offer, why: str) -> Offer:
        """Show why an offer cannot be picked; the offer with its reason."""
        refused = replace(offer, refused=why)
        marked = self._marked
        self._offers = tuple(refused if each == offer else each for each in self._offers)
        self._fill(self._words, refused if marked == offer else marked)
        return refused

    # The rows.

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)

    def _fill(self, words: str, mark: Offer | str | None = None) -> None:
        """Show the rows that the words leave, with one of them marked."""
        self._words = words
        self._rows = list(self._matching(words) if words.strip() else self._in_groups())
        width = max((cell_len(offer.name) for offer in self._offers), default=0)
        width = min(width, WIDEST_NAME)
        self._list.clear_options()
        self._list.add_options(
            Option(self._written(row, width), disabled=row in self._opened)
            if isinstance(row, str)
            else Option(self._written(row, width))
            for row in self._rows
        )
        self._list.highlighted = self._first(mark, words)
        self._say()

    def _matching(self, words: str) -> list[Offer]:
        ranked = ((offer.rank(words), offer) for offer in self._offers)
        found = [(rank, offer) for rank, offer in ranked if rank is not None]
        return [offer for _, offer in sorted(found, key=lambda pair: pair[0])]

    def _in_groups(self) -> list[Offer | str]:
        rows: list[Offer | str] = []
        group = ""
        for offer in self._offers:
            if offer.group != group:
                group = offer.group
                rows.append(group)
            if not offer.group or offer.group in self._opened:
                rows.append(offer)
        return rows

    def _first(self, mark: Offer | str | None, words: str) -> int | None:
        """The row to mark: the one asked for, what is chosen now, else the first to be picked."""
        if mark is not None and mark in self._rows:
            return self._rows.index(mark)
        picks = [at for at, row in enumerate(self._rows) if isinstance(row, Offer)]
        now = [at for at in picks if self._at(at).value == self._chosen]
        free = [at for at in picks if not self._at(at).refused]
        return next(iter(() if words.strip() else now), next(iter(free or picks), None))

    def _at(self, at: int) -> Offer:
        row = self._rows[at]
        assert isinstance(row, Offer)
        return row

    def _written(self, row: Offer | str, width: int) -> Content:
        """A line: mark, name, and its sentence, or why it cannot be picked."""
        if isinstance(row, str):
            inside = sum(offer.group == row for offer in self._offers)
            folded = row not in self._opened
            text = f"▸ {row} ({inside})" if folded else f"  {row}"
            return Content.styled(spelled(self, text), "$foreground" if folded else "dim")
        mark = "● " if row.value == self._chosen else "  "
        name = spelled(self, row.name)
        name += " " * (width - cell_len(name))
        if row.refused:
            return Content.styled(spelled(self, f"{mark}{name}  ✗ {row.refused}"), "dim")
        quiet = "dim" if self.app.native_ansi_color else "$foreground-muted"
        return Content.assemble(
            (spelled(self, mark), "$text-accent bold"),
            (name, "bold"),
            (f"  {spelled(self, row.says)}", quiet),
        )

    # Choosing.

    @property
    def _marked(self) -> Offer | str | None:
        at = self._list.highlighted
        return None if at is None or at >= len(self._rows) else self._rows[at]

    def on_option_list_option_highlighted(self) -> None:
        self._say()

    def _say(self) -> None:
        """The whole sentence of the row under the cursor; how many rows there are."""
        row = self._marked
        if row is None:
            put(self._said, "Nothing here has these words.")
        elif isinstance(row, str):
            put(self._said, "enter opens the group")
        else:
            put(self._said, spelled(self, f"✗ {row.refused}" if row.refused else row.says))
        shown = sum(isinstance(each, Offer) for each in self._rows)
        if self._dialog is not None:
            self._dialog.border_title = f"{self._heading}  {shown} of {len(self._offers)}"

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self._words:
            self._fill(event.value)
        self._take()

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        self._take()

    def _take(self) -> None:
        """Pick the marked row; a group is opened, and what is refused stays where it is."""
        row = self._marked
        if isinstance(row, str):
            self._opened.add(row)
            inside = next(offer for offer in self._offers if offer.group == row)
            self._fill("", inside)
        elif row is not None and not row.refused:
            why = "" if row.value == self._chosen else self._why(row.value)
            if why:
                self._refuse(row, why)
            else:
                self.dismiss(row)

    def action_go_on(self, by: int) -> None:
        """Leave the list, and go to the next field of the form behind it, or to the one before."""
        self.dismiss(None)
        behind = self.app.screen
        (behind.focus_next if by > 0 else behind.focus_previous)()
        if isinstance(behind.focused, ValueInput):
            behind.focused.action_edit()  # as tab does from a field that is edited

    def action_move(self, by: int) -> None:
        """Move the mark to the next row that can be marked, around the ends by single steps."""
        at = self._list.highlighted
        free = [
            place for place, row in enumerate(self._rows)
            if isinstance(row, Offer) or row not in self._opened
        ]  # fmt: skip
        if not free:
            return
        now = free.index(at) if at in free else -1
        to = (now + by) % len(free) if abs(by) == 1 else min(max(now + by, 0), len(free) - 1)
        self._list.highlighted = free[to]
