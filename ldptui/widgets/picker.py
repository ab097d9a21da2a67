"""A list to pick one thing from, which filters while one types: the one way to see all choices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ScreenResultType
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from ..catalogue import folded_groups, key_words, kind_words, metric_words
from ..session.draft import edit_key, new_sweep
from ..text.synonyms import are_in
from .dialog import Dialog, ModalScreen
from .field import ValueInput
from .option_list import LineList
from .words import put, spell_text

if TYPE_CHECKING:
    from ..messages import ChoicesAsked
    from ..session.draft import Draft

AROUND: Final = 8
"""Rows of the dialog beside the list."""
WIDEST_NAME: Final = 38
"""Cells that the names take at most; a longer one pushes its sentence on."""


class Offer(Struct, frozen=True):
    """One row of a picker: a value with its name and the reason to pick it.

    value : the picked value. name : its name. says : a sentence on why to pick it. refused : the
    reason why it cannot be picked now; "" if it can. group : the heading of its group, whose rows
    are shown when it is opened, or when something is typed.
    """

    value: Any
    name: str
    says: str = ""
    refused: str = ""
    group: str = ""

    def rank(self, words: str) -> int | None:
        """The distance of the row from the typed words, 0 for the nearest; None for no match."""
        found = are_in(words, f"{self.name} {self.value} {self.says} {self.group}")
        return rank_of(words, self.name, self.group) if found else None


def rank_of(words: str, name: str, more: str) -> int:
    """The distance of a name from the typed words, 0 for the nearest.

    In order: the name equals the words, begins with them, has each at the beginning of a word,
    contains them; then `more` has each at the beginning of a word; then all others.
    """
    typed, name = words.casefold().replace("-", " ").split(), name.casefold().replace("-", " ")
    tests = (
        name == " ".join(typed),
        name.startswith(" ".join(typed)),
        all(f" {word}" in f" {name}" for word in typed),
        are_in(words, name),
        all(word in more.casefold() for word in typed),
        True,
    )
    return tests.index(True)


class ListScreen(ModalScreen[ScreenResultType]):
    """A dialog with a filtered list: typing filters, up and down mark, enter takes.

    rows : those that match the filter.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="picker.close"),
        Binding("down", "move(1)", "Next", show=False, priority=True, id="picker.next"),
        Binding("up", "move(-1)", "Previous", show=False, priority=True, id="picker.previous"),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self.rows: list[Any] = []
        self.words = ""
        # Keys may come before what is composed is there to be asked for.
        self.field, self.list = Input(placeholder=placeholder), LineList()
        self.field.cursor_blink = self.list.can_focus = False

    def matching(self, words: str) -> Iterable[Any]:
        """The rows that match the typed words, in order."""
        raise NotImplementedError

    def option_of(self, row: Any) -> Option:
        """The option of a row in the list; a disabled one cannot be marked."""
        raise NotImplementedError

    def first(self) -> int | None:
        """The index of the row to mark after typing; None if there is none."""
        return 0 if self.rows else None

    def describe(self, row: Any) -> None:
        """Describe the marked row; None if there is none."""
        raise NotImplementedError

    def take(self, row: Any) -> None:
        """Close the dialog with the marked row as its result, or do what the row stands for."""
        raise NotImplementedError

    def fill(self, words: str) -> None:
        """Show the rows that match the typed words."""
        self.words = words
        self.rows = list(self.matching(words))
        self.list.clear_options()
        self.list.add_options(self.option_of(row) for row in self.rows)
        self.list.highlighted = self.first()
        self.describe(self.marked_row)

    @property
    def marked_row(self) -> Any:
        """The row under the cursor; None if the list is empty."""
        at = self.list.highlighted
        return None if at is None or at >= len(self.rows) else self.rows[at]

    def action_move(self, by: int) -> None:
        """Mark another row that can be marked; single steps wrap around."""
        free = [at for at, option in enumerate(self.list.options) if not option.disabled]
        at = self.list.highlighted
        now = free.index(at) if at in free else -1
        if free:
            to = (now + by) % len(free) if abs(by) == 1 else min(max(now + by, 0), len(free) - 1)
            self.list.highlighted = free[to]

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.fill(event.value)

    def on_option_list_option_highlighted(self) -> None:
        self.describe(self.marked_row)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self.words:
            self.fill(event.value)
        self._take_marked()

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        self._take_marked()

    def _take_marked(self) -> None:
        if self.marked_row is not None:
            self.take(self.marked_row)


class PickerScreen(ListScreen[Offer | None]):
    """The dialog that picks one of several offers; its result is the offer, or None.

    Enter takes the marked offer, or opens a folded group, whose row is its heading.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
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
        """A picker of `offers`.

        why_not : returns why a value cannot be picked, "" if it can; it is called for all values in
        a thread, and for a value that is taken earlier at once.
        """
        super().__init__("type to filter")
        self._heading, self._offers, self._chosen = title, tuple(offers), chosen
        self._why_not = why_not or (lambda _: "")
        self.tried = why_not is None  # all offers were asked why they cannot be picked
        self._opened = {
            offer.group for offer in self._offers if offer.value == chosen or not offer.group
        }
        self._mark: Offer | None = None  # to be marked
        self._said = Static(markup=False)
        self._dialog = Dialog(title, "enter takes it · type to filter · ↑ ↓ · esc")
        width = max((cell_len(offer.name) for offer in self._offers), default=0)
        self._width = min(width, WIDEST_NAME)

    def compose(self) -> ComposeResult:
        with self._dialog:
            yield self.field
            yield self.list
            yield self._said

    async def on_mount(self) -> None:
        self.fill("")
        if not self.tried:
            self.run_worker(self._try_all(), exit_on_error=False)

    def on_resize(self) -> None:
        self.list.styles.max_height = max(2, int(0.92 * self.size.height) - AROUND)

    async def _try_all(self) -> None:
        """Find for each offer whether it can be picked, and update its row."""
        for offer in self._offers:
            if offer.value != self._chosen and not offer.refused:
                why = await asyncio.to_thread(self._why_not, offer.value)
                if not self.is_active:
                    return
                if why:
                    self._refuse(offer, why)
        self.tried = True

    def _refuse(self, offer: Offer, why: str) -> None:
        """Show why an offer cannot be picked."""
        refused = replace(offer, refused=why)
        self._mark = refused if self.marked_row == offer else self.marked_row
        self._offers = tuple(refused if each == offer else each for each in self._offers)
        self.fill(self.words)

    # The rows.

    def fill(self, words: str) -> None:
        """Show the rows that match the typed words; a slash may begin them."""
        super().fill(words.removeprefix("/"))

    def matching(self, words: str) -> Iterator[Offer | str]:
        """Yields the nearest offers first; without words, all below their groups' headings."""
        if words.strip():
            ranked = ((offer.rank(words), offer) for offer in self._offers)
            found = [(rank, offer) for rank, offer in ranked if rank is not None]
            yield from (offer for _, offer in sorted(found, key=lambda pair: pair[0]))
            return
        group = ""
        for offer in self._offers:
            if offer.group != group:
                group = offer.group
                yield group
            if not offer.group or offer.group in self._opened:
                yield offer

    def first(self) -> int | None:
        """The index of the row to mark: the one asked for, the current value, else the first."""
        mark, self._mark = self._mark, None
        if mark is not None and mark in self.rows:
            return self.rows.index(mark)
        picks = [(at, row) for at, row in enumerate(self.rows) if isinstance(row, Offer)]
        now = [] if self.words.strip() else [at for at, row in picks if row.value == self._chosen]
        free = [at for at, row in picks if not row.refused]
        return next(iter([*now, *free, *(at for at, _ in picks)]), None)

    def option_of(self, row: Offer | str) -> Option:
        """The option of an offer: mark, name, and a sentence or the reason of a refusal; or of a
        group.
        """
        if isinstance(row, str):
            inside = sum(offer.group == row for offer in self._offers)
            folded = row not in self._opened
            text = spell_text(self, f"▸ {row} ({inside})" if folded else f"  {row}")
            return Option(
                Content.styled(text, "$foreground" if folded else "dim"), None, not folded
            )
        mark = "● " if row.value == self._chosen else "  "
        name = spell_text(self, row.name)
        name += " " * (self._width - cell_len(name))
        if row.refused:
            return Option(Content.styled(spell_text(self, f"{mark}{name}  ✗ {row.refused}"), "dim"))
        quiet = "dim" if self.app.native_ansi_color else "$foreground-muted"
        return Option(Content.assemble(
            (spell_text(self, mark), "$text-accent bold"),
            (name, "bold"),
            (f"  {spell_text(self, row.says)}", quiet),
        ))  # fmt: skip

    def describe(self, row: Offer | str | None) -> None:
        """Show the full sentence of the marked offer and the number of rows."""
        if row is None:
            put(self._said, "Nothing here has these words.")
        elif isinstance(row, str):
            put(self._said, "enter opens the group")
        else:
            put(self._said, spell_text(self, f"✗ {row.refused}" if row.refused else row.says))
        shown = sum(isinstance(each, Offer) for each in self.rows)
        self._dialog.border_title = f"{self._heading}  {shown} of {len(self._offers)}"

    def take(self, row: Offer | str) -> None:
        """Pick the marked offer, open a marked group; a refused offer does nothing."""
        if isinstance(row, str):
            self._opened.add(row)
            self._mark = next(offer for offer in self._offers if offer.group == row)
            self.fill("")
        elif not row.refused:
            why = "" if row.value == self._chosen else self._why_not(row.value)
            if why:
                self._refuse(row, why)
            else:
                self.dismiss(row)

    def action_go_on(self, by: int) -> None:
        """Close the list and focus the next or previous field of the form."""
        self.dismiss(None)
        behind = self.app.screen
        (behind.focus_next if by > 0 else behind.focus_previous)()
        if isinstance(behind.focused, ValueInput):
            behind.focused.action_edit()  # as tab does from a field that is edited


GIVEN_LATER: Final = ("name", "path")
"""What is typed once a value is chosen: a plug-in's name, a file."""
SWEPT: Final = "sweep.key"
TABLES: Final = {"mechanism": "protocol", "beside": "protocol"}
"""The tables of kinds behind fields that have other names."""
Meant: TypeAlias = Callable[["Draft", str, Any], tuple[str, Any] | None]
"""The edit of another key that choosing a value of a field stands for; None for the field's own."""


def pick(asked: ChoicesAsked, draft: Draft | None = None, meant: Meant = lambda *_: None) -> None:
    """Show the picker of a field and write the picked value into the field; without effect if
    another screen is over the field's.

    draft : the draft in which the values are tried. meant : returns the key and the value that an
    entry of the list edits.
    """
    if not asked.field.screen.is_active:
        return
    leaf = asked.key.rpartition(".")[2]
    title = asked.title or (asked.key.partition(".")[0] if leaf == "kind" else leaf)
    why = why_not(asked, draft, meant) if draft is not None and draft.parses else None
    offers = [_offer(asked, value, word) for value, word in asked.options]
    order = ["", *folded_groups().values()]
    offers.sort(key=lambda offer: order.index(offer.group))

    def take(offer: Offer | None) -> None:
        if offer is not None:
            # As the field's own doing: a message does not go beyond the widget that is at work.
            asked.field.call_later(asked.chosen, offer.value)

    picker = PickerScreen(title, offers, asked.value, why)
    picker.help_key = asked.key
    asked.field.app.push_screen(picker, take)


def _offer(asked: ChoicesAsked, value: Any, word: str) -> Offer:
    """A value with the sentence that the catalogue has about it."""
    table, _, leaf = asked.key.partition(".")
    group = ""
    if asked.key == SWEPT:
        says = key_words(value).first
    elif leaf == "metric":
        says = metric_words(str(value)).meaning.partition(". ")[0].removesuffix(".")
    else:
        named = asked.key.rpartition(".")[2]
        kind = kind_words(table if named == "kind" else TABLES.get(named, named), str(value))
        says, group = kind.reason, folded_groups().get(kind.group, "")
    return Offer(value, word, says, group=group)


def why_not(
    asked: ChoicesAsked, draft: Draft, meant: Meant = lambda *_: None
) -> Callable[[Any], str] | None:
    """A function that says why a value is not allowed in the draft; None if none is checked."""
    if asked.key.rpartition(".")[2] not in ("kind", "metric") and asked.key != SWEPT:
        return None
    before = {(problem.key, problem.message) for problem in draft.problems}
    free = edit_key(draft, f"sweep.{asked.value}", None) if asked.key == SWEPT else draft

    def why(value: Any) -> str:
        if asked.key == SWEPT:
            tried = edit_key(free, f"sweep.{value}", new_sweep(free, value))
        else:
            tried = edit_key(free, *(meant(free, asked.key, value) or (asked.key, value)))
        for problem in tried.problems:
            later = problem.key.rpartition(".")[2] in GIVEN_LATER
            if not later and (problem.key, problem.message) not in before:
                rule = problem.message.removeprefix(f'must not be "{value}" ')
                own = problem.key in ("", asked.key)
                return rule if own else f"{key_words(problem.key).noun} {rule}"
        return ""

    return why
