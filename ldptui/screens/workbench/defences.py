"""Pane 7: what the server does about fake users, one step after the other, as a form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from ...catalogue import key_words, kind_words, listed_kinds
from ...messages import KeyEdited, Noted
from ...session.draft import keys_of, value_of
from ...session.draft.attack_script import MUTED, rearranged, tables_in
from ...text.format import short
from ...widgets.blank import Scrolled
from ...widgets.field import Field
from ...widgets.words import put_or_hide
from .form_pane import FormPane, fill, labelled, names_in, own, said
from .row_list import Item, ItemList

if TYPE_CHECKING:
    from ldptui.core.cell import Cell

    from ...session.draft import Draft

TABLE: Final = "defence"
NO_DEFENCE: Final = "none"


class DefencesPane(FormPane, can_focus=True):
    """The steps in order, and the keys of the chosen one.

    Posts KeyEdited with keys of the scenario, and Noted with what a change has dropped.
    """

    BORDER_TITLE = "7 Defences"
    DEFAULT_CSS = """
    DefencesPane {
        height: 1fr;
        & > Scrolled { height: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down,j", "enter", "Edit", show=False, id="defences.edit"),
    ]

    def compose(self) -> ComposeResult:
        with Scrolled():
            yield ItemList("step", TABLE, mutes=True, id="steps")
            yield Static(classes="words", id="needs", markup=False)
            kinds = [(kind, kind) for kind in listed_kinds(TABLE)]
            yield Field(f"{TABLE}.kind", "", options=kinds, rows=5)
            yield Static(classes="words", id="reason", markup=False)
            for name in names_in(TABLE):
                if name != MUTED:
                    yield labelled(f"{TABLE}.{name}", like=f"{TABLE}.0.{name}", optional=True)

    def on_mount(self) -> None:
        for widget in list(self._form.children)[1:]:
            widget.display = False

    @property
    def setting(self) -> str:
        """The steps in a few words, muted ones in brackets: `(fiad), norm-sub`."""
        steps = steps_of(self.draft) if self.draft is not None and self.draft.parses else []
        kinds = (f"({kind_of(step)})" if off(step) else kind_of(step) for step in steps)
        return ", ".join(kinds) or NO_DEFENCE

    @property
    def _form(self) -> Scrolled:
        return self.query_one(Scrolled)

    @property
    def _steps(self) -> ItemList:
        return self.query_one("#steps", ItemList)

    # The focus.

    def first_stop(self) -> Widget:
        return self._steps

    # Downwards.

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted:
            return
        self.block(draft)
        if not draft.parses:
            return
        steps, rows = self._steps, steps_of(draft)
        steps.rows = tuple(
            Item(described(row), said(draft, f"{TABLE}.{at}"), off=off(row))
            for at, row in enumerate(rows)
        )
        steps.at = steps.at  # in range again
        put_or_hide(self.query_one("#needs", Static), needs(draft))
        self._show_step(draft, rows)

    def _show_step(self, draft: Draft, rows: Sequence[Mapping[str, Any]]) -> None:
        """The kind of the chosen step, why one would choose it, and the keys that it has."""
        at = min(self._steps.at, len(rows) - 1)
        kind = str(rows[at].get("kind", NO_DEFENCE)) if rows else ""
        names = ("kind", *keys_of(TABLE, kind)) if rows else ()
        fill(
            self._form.query_children(Field), draft,
            {f"{TABLE}.{name}": own(draft, f"{TABLE}.{at}.{name}") for name in names},
        )  # fmt: skip
        put_or_hide(self.query_one("#reason", Static), kind_words(TABLE, kind).reason)

    def close(self, closed: bool) -> None:
        self._form.disabled = closed

    # Upwards.

    def on_row_list_asked(self, event: ItemList.Asked) -> None:
        event.stop()
        draft = self.draft
        if draft is None or not draft.parses:
            return
        if event.what == "show":
            self._show_step(draft, steps_of(draft))
            return
        if event.what == "open":
            self.query(Field).first().control.focus()
            return
        before = steps_of(draft)
        after, at = changed(before, event.what, event.at)
        event.items.at = at
        if after == before:
            return  # two equal steps have changed places
        if event.what == "remove":
            self.post_message(Noted(f"step {event.at + 1} removed; ctrl+z brings it back"))
        self.post_message(KeyEdited(TABLE, after or None))


def steps_of(draft: Draft) -> list[dict[str, Any]]:
    """The tables of the defences as they stand in the text."""
    return tables_in(value_of(draft, TABLE))


def needs(draft: Draft) -> str:
    """The messages left where they are verified; the memory of filters, and doubts about them."""
    cell = draft.cell
    if cell is None:
        return ""
    rows = _verified(cell)
    if cell.filters:
        from ldptui.core.experiment.limits import held_bytes, in_bytes

        rows.append(f"holds the reports of a trial, about {in_bytes(held_bytes(cell))}")
        rows += (f"! {sentence}" for sentence in cell.warnings)
    return "\n".join(rows)


def _verified(cell: Cell) -> list[str]:
    """The coins that a verified randomiser tosses, and the fakes that drop out; none without it."""
    rows = []
    if cell.verifier is not None and cell.asked is not None:
        pure = cell.sifted.pure
        rows.append(f"p = {short(pure.p)}, q = {short(pure.q)}: ε = {short(pure.epsilon)} is spent")
    if cell.sifted.fakes and (sent := cell.sifted.fakes[0].sent) < 1:
        rows.append(f"about {sent * cell.malicious:.0f} of {cell.malicious} fakes send a report")
    return rows


def kind_of(step: Mapping[str, Any]) -> str:
    return str(step.get("kind", "?"))


def off(step: Mapping[str, Any]) -> bool:
    """Return whether a step is muted."""
    return step.get(MUTED) is True


def described(step: Mapping[str, Any]) -> str:
    """`ldprecover η = 0.05`: the kind and what it is given; `off: ldprecover …` of a muted one.

    Of one in Python its name and options: `plugin floor  least = 0.01`.
    """
    options = step.get("options")
    given = {
        **{key_words(f"{TABLE}.{name}").symbol or name: value
           for name, value in step.items() if name not in ("kind", "name", "options", MUTED)},
        **(options if isinstance(options, Mapping) else {}),
    }  # fmt: skip
    settings = (
        f"{name} = {short(value) if isinstance(value, float) else value}"
        for name, value in given.items()
    )
    called = f"{kind_of(step)} {step.get('name', '')}".rstrip()
    return "off: " * off(step) + "  ".join([called, *settings])


def changed(
    steps: Sequence[Mapping[str, Any]], what: str, at: int
) -> tuple[list[dict[str, Any]], int]:
    """The steps after one was added, duplicated, removed, moved or muted; the one to choose."""
    kept = [dict(step) for step in steps]
    if what == "add":
        return [*kept[:at], {"kind": _first(kept)}, *kept[at:]], at
    return rearranged(kept, what, at)


def _first(steps: Sequence[Mapping[str, Any]]) -> str:
    """The kind to add: the first that is not there yet and needs nothing to be given."""
    present = {step.get("kind") for step in steps} | {NO_DEFENCE}
    free = [kind for kind in listed_kinds(TABLE) if kind not in present]
    return next((kind for kind in free if not {*keys_of(TABLE, kind)} - {MUTED}), NO_DEFENCE)
