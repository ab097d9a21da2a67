"""The attack as a form: one kind and its keys, its goal and its targets.

A mixture of kinds, or the phases of a campaign, is one line of words here and edited in the script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var
from textual.widgets import Static

from ....catalogue import key_words, kind_words, listed_kinds
from ....messages import FieldFocused, KeyEdited
from ....session.draft import attack_script as script
from ....session.draft import kind_of, sweep_of
from ....text.format import MISSING, count, short
from ....widgets.blank import Scrolled
from ....widgets.field import ROW_KEYS, Field, Row
from ....widgets.words import put_or_hide
from ..form_pane import fill, labelled, names_in
from .shown import attack_of, meant, own_names, shown

if TYPE_CHECKING:
    from ....session.draft import Draft


NARROWEST = 38
"""Cells that words in the form have where all panes stand on one screen."""


def hashes(draft: Draft) -> bool:
    """True if users hash their items, so that an attacker searches for seeds."""
    values = sweep_of(draft).get("protocol.kind")
    kinds = values if isinstance(values, list) else [kind_of(draft, "protocol")]
    return any(kind_words("protocol", kind).family == "hashing" for kind in map(str, kinds))


def facts(draft: Draft) -> str:
    """The numbers of the attack in the last valid scenario: m, r and f_T."""
    cell = draft.cell
    if cell is None or (cell.attack is None and not cell.targets.size):
        return ""
    held = MISSING if cell.population.awaited else short(cell.target_frequency, 3)
    many = "m as the goal takes" if cell.goal is not None else f"m = {count(cell.malicious)} fakes"
    if not cell.targets.size:
        return many
    first = f"{many}   r = {cell.targets.size}"
    gap = "   " if len(first) + len(held) <= NARROWEST - 9 else "\n"  # never inside a number
    return f"{first}{gap}f_T = {held}"


def composition(draft: Draft) -> str:
    """The mixture or the phases of the attack in words, and the way to edit them."""
    attack = attack_of(draft)
    match script.shape_of(attack):
        case "mixture":
            words = [f"mixture: {script.described_mix(script.parts_of(attack))}"]
        case "phases":
            phases = script.phases_of(attack)
            words = [script.described_phase(phases, at) for at in range(len(phases))]
        case _:
            return "a mixture or phases: enter, in the script"
    return "\n".join([*words, "enter edits this in the script"])


class Composition(Row, Static, can_focus=True):
    """A mixture or phases in words; enter or a click goes to the script."""

    DEFAULT_CSS = """
    Composition {
        height: auto;
        padding: 0 1 0 2;
        color: $text-muted;
        &:focus { color: $text-accent; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *ROW_KEYS,
        Binding("enter", "edit", "Edit in the script", id="attack.composition"),
        Binding("escape", "leave", "Leave the field", show=False, id="attack.composition.leave"),
    ]

    class ScriptAsked(Message):
        """The attack is to be edited in the script."""

    def on_focus(self) -> None:
        self.post_message(FieldFocused("attack.phase"))

    def on_click(self) -> None:
        self.action_edit()

    def action_edit(self) -> None:
        self.post_message(self.ScriptAsked())


class AttackForm(Scrolled):
    """The form of the attack: its kind, its goal and its targets, the rounds of a campaign.

    Posts KeyEdited with keys of the scenario.
    """

    draft: var[Draft | None] = var(None, always_update=True)

    def compose(self) -> ComposeResult:
        kinds = [(kind, kind) for kind in listed_kinds("attack")]
        yield Field("attack.kind", "", options=kinds, rows=4)
        yield Static(classes="words", id="reason", markup=False)
        yield Composition(markup=False)
        yield labelled("campaign.rounds", optional=True)
        yield labelled("campaign.churn", optional=True)
        yield labelled("campaign.drift", options=[("none", "none")])
        for name in names_in("population"):
            if isinstance(key_words(f"population.{name}").start, float):
                yield labelled(f"campaign.drift.{name}")
        yield labelled("goal.metric")
        yield labelled("goal.at_least")
        yield labelled("goal.over")
        yield labelled("attack.share")
        yield labelled("attack.targets.pick")
        yield labelled("attack.targets.count")
        yield labelled("attack.targets.items")
        for name in own_names():
            yield labelled(f"attack.{name}", optional=True, id=name)
        yield Static(classes="words", id="facts", markup=False)

    def on_mount(self) -> None:
        for widget in list(self.children)[1:]:
            widget.display = False

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted or not draft.parses:
            return
        rows = shown(draft)
        fill(self.query_children(Field), draft, rows)
        for name in ("seeds", "scoring"):
            self.query_one(f"#{name}").disabled = not hashes(draft)
        kind = rows.get("attack.kind")
        reason = kind_words("attack", kind.value).reason if kind is not None else ""
        put_or_hide(self.query_one("#reason", Static), reason)
        put_or_hide(self.query_one(Composition), composition(draft))
        put_or_hide(self.query_one("#facts", Static), facts(draft))

    def on_key_edited(self, event: KeyEdited) -> None:
        """Turn a choice that stands for many keys into an edit of the table that they are in."""
        if self.draft is not None and (edit := meant(self.draft, event.key, event.value)):
            event.stop()
            self.post_message(KeyEdited(*edit))
