"""The attack as a form: one kind, a mixture of kinds, or the phases of a campaign.

Every field edits one key of the scenario's text. Which one, where the attack is a list, depends on
the phase and the part chosen: the fields move with the choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult
from textual.reactive import var
from textual.widgets import Static

from ....catalogue import kind_words
from ....messages import KeyEdited, Noted
from ....session.draft import attack_script as script
from ....session.draft import input_of, kind_of, used_keys, value_of
from ....session.draft.attack_script import Shape
from ....session.draft.rearranging import Table
from ....widgets.blank import Scrolled
from ....widgets.field import Field
from ....widgets.words import put
from ..item_list import Item, ItemList
from ..parameters import labelled, said
from .edits import GIVEN, SHARED, aimed, drifting, drifts, picked, ramp_of
from .facts import facts, hashes, keys_of_kind, problem, stretches, swept
from .fields import TARGET_KEYS, WHOLE, kind_fields, own_names, shapes_of_drift, target_fields
from .phase_strip import PhaseStrip

if TYPE_CHECKING:
    from ....session.draft import Draft

SHAPES: Final = (("one", "one kind"), ("mixture", "mixture"), ("phases", "phases"))
CONSTANT: Final = "constant"
GOAL_FIELDS: Final = ("goal", "at-least", "over")


class AttackForm(Scrolled):
    """The form of the attack: one kind, a mixture or phases, its goal and its targets.

    Posts KeyEdited with keys of the scenario, and Noted with what a change has dropped.
    """

    DEFAULT_CSS = """
    AttackForm {
        & .words { color: $text-muted; padding: 0 1 0 2; height: auto; }
        &:ansi .words { text-style: dim; }
    }
    """

    draft: var[Draft | None] = var(None, always_update=True)
    cursor: var[int | None] = var(None)
    """The round that the Timeline shows."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._kept: dict[Shape, Table] = {}  # the attack as it was in its other shapes

    def compose(self) -> ComposeResult:
        yield Field("attack.shape", "", options=SHAPES, id="shape")
        yield from kind_fields("kind")
        yield labelled("campaign.rounds", optional=True)
        yield labelled("campaign.churn", optional=True)
        yield labelled("campaign.drift", options=[("none", "none")], id="drift")
        for name in shapes_of_drift():
            yield labelled(f"campaign.drift.{name}", id=f"drift-{name}")
        yield PhaseStrip()
        yield ItemList("phase", "attack.phase", mutes=True, id="phases")
        yield labelled("attack.phase.*.rounds", id="length")
        yield labelled("attack.phase.*.share.shape", id="ramp")
        yield labelled("goal.metric", id="goal")
        yield labelled("goal.at_least", id="at-least")
        yield labelled("goal.over", id="over")
        yield labelled("attack.share", id="share")
        yield labelled("attack.phase.*.share.to", like="attack.share", id="to")
        yield labelled("attack.phase.*.share.at", id="jump")
        yield from target_fields("phase")
        yield from target_fields("targets")
        yield ItemList("part", "attack.mix", id="parts")
        yield labelled("attack.mix.*.weight", id="weight")
        yield from kind_fields("part-kind")
        for name in own_names():
            yield labelled(f"attack.{name}", optional=True, id=name)
        yield from target_fields("own")
        yield Static(classes="words", id="facts", markup=False)

    def on_mount(self) -> None:
        for widget in list(self.children)[1:]:
            widget.display = False

    # Where the fields are in the document.

    @property
    def _attack(self) -> Mapping[str, Any]:
        document = self.draft.document if self.draft is not None else None
        attack = (document or {}).get("attack")
        return attack if isinstance(attack, Mapping) else {}

    @property
    def _phases(self) -> ItemList:
        return self.query_one("#phases", ItemList)

    @property
    def _parts(self) -> ItemList:
        return self.query_one("#parts", ItemList)

    @property
    def _stage(self) -> str:
        """The table with the share, the targets and the mixture: the attack, or a phase of it."""
        if script.shape_of(self._attack) != "phases":
            return "attack"
        return f"attack.phase.{_chosen(self._phases)}"

    @property
    def _part(self) -> str:
        """The table with a kind and its keys: the attack, or a part of a mixture."""
        if script.shape_of(self._attack) == "one":
            return "attack"
        return f"{self._stage}.mix.{_chosen(self._parts)}"

    # Downwards.

    def watch_cursor(self) -> None:
        if self.is_mounted:
            self.query_one(PhaseStrip).cursor = self.cursor

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted or not draft.parses:
            return
        shape = script.shape_of(self._attack)
        shapes = self.query_one("#shape", Field)
        whole = (fault.message for fault in draft.problems if fault.key in WHOLE)
        shapes.show(shape, next(whole, ""))
        self._show_campaign(draft, shape == "phases")
        self._show_share(draft, shape)
        self._show_parts(draft, shape)
        self._show_kind(draft)
        put(self.query_one("#facts", Static), facts(draft))

    def _show_campaign(self, draft: Draft, phased: bool) -> None:
        strip, phases = self.query_one(PhaseStrip), self._phases
        campaign = phased or value_of(draft, "campaign") is not None
        drift = value_of(draft, "campaign.drift")
        drift = drift if isinstance(drift, Mapping) else {}
        for field in self.query_children(Field):
            if field.key == "campaign.drift":
                field.display = campaign
                field.choose_from([(kind, kind) for kind in drifts()])
                field.show(drift.get("kind", "none"), said(draft, field.key))
            elif field.key.startswith("campaign."):
                field.display = campaign and (
                    not field.key.startswith("campaign.drift.") or field.key.split(".")[2] in drift
                )
                field.show(value_of(draft, field.key), said(draft, field.key))
        strip.display = phases.display = phased
        self.query_one("#length", Field).display = phased
        if not phased:
            return
        tables = script.phases_of(self._attack)
        phases.rows = tuple(
            Item(script.described_phase(tables, at), problem(draft, f"attack.phase.{at}"),
                 tables[at].get("muted") is True)
            for at in range(len(tables))
        )  # fmt: skip
        phases.at = phases.at  # in range again
        self._place("length", f"{self._stage}.rounds", draft)
        strip.stretches = tuple(stretches(draft, tables))
        rounds = draft.cell.rounds if draft.cell is not None else ()
        strip.rounds, strip.at = len(rounds), _chosen(phases)

    def _show_share(self, draft: Draft, shape: Shape) -> None:
        stage = self._stage
        ramp = value_of(draft, f"{stage}.share")
        ramped = isinstance(ramp, Mapping)
        form = self.query_one("#ramp", Field)
        form.display = shape == "phases"
        if form.display:
            shapes = input_of("attack.phase.*.share.shape")[1] or []
            form.choose_from([(CONSTANT, CONSTANT), *shapes])
        form.move_to(f"{stage}.share.shape")
        if form.display:
            form.show(ramp.get("shape", "linear") if isinstance(ramp, Mapping) else CONSTANT)
        share = self.query_one("#share", Field)
        keys = keys_of_kind(kind_of(draft, "attack")) if shape == "one" else {"share", "targets"}
        goal = value_of(draft, "goal.metric") if shape != "phases" and "share" in keys else None
        self._show_goal(draft, shape != "phases" and "share" in keys, goal)
        share.display = "share" in keys and goal is None
        self._place("share", f"{stage}.share.from" if ramped else f"{stage}.share", draft)
        to, jump = self.query_one("#to", Field), self.query_one("#jump", Field)
        to.display = ramped
        jump.display = isinstance(ramp, Mapping) and ramp.get("shape") == "step"
        if ramped:
            self._place("to", f"{stage}.share.to", draft)
            self._place("jump", f"{stage}.share.at", draft)
        phased = shape == "phases"
        self._show_targets(draft, "phase", f"{stage}.targets", phased, leave="the attack's")
        leave = {"one": "", "mixture": "of each part", "phases": "of each phase"}[shape]
        self._show_targets(draft, "targets", "attack.targets", "targets" in keys, leave=leave)

    def _show_goal(self, draft: Draft, shown: bool, metric: object) -> None:
        """A goal in place of the share, where there can be one."""
        goal, at_least, over = (self.query_one(f"#{name}", Field) for name in GOAL_FIELDS)
        goal.display = shown
        at_least.display = over.display = metric is not None
        if shown:
            goal.choose_from([(GIVEN, "none"), *(input_of("goal.metric")[1] or [])])
            goal.show(metric or GIVEN, said(draft, "goal.metric"))
        if metric is not None:
            self._place("at-least", "goal.at_least", draft)
            self._place("over", "goal.over", draft)

    def _show_parts(self, draft: Draft, shape: Shape) -> None:
        parts, weight = self._parts, self.query_one("#weight", Field)
        parts.display = weight.display = shape != "one"
        if shape == "one":
            self._show_targets(draft, "own", "attack.targets", False)
            return
        tables = script.parts_of(value_of(draft, self._stage) or {})
        parts.rows = tuple(
            Item(row, problem(draft, f"{self._stage}.mix.{at}"))
            for at, row in enumerate(script.described_parts(tables))
        )
        parts.at = parts.at
        self._place("weight", f"{self._part}.weight", draft)
        self._show_targets(draft, "own", f"{self._part}.targets", bool(tables), leave="those above")

    def _show_kind(self, draft: Draft) -> None:
        part = self._part
        kind = value_of(draft, f"{part}.kind") or "none"
        single = part == "attack"
        reason = kind_words("attack", kind).reason
        for name, shown in (("kind", single), ("part-kind", not single)):
            self.query_one(f"#{name}").display = shown
            words = self.query_one(f"#{name}-reason", Static)
            words.display = shown and bool(reason)
            if shown:
                self._place(name, f"{part}.kind", draft)
                put(words, reason)
        if single:
            self.query_one("#kind", Field).show(kind, said(draft, "attack.kind"))
        keys = keys_of_kind(kind)
        if "cohorts" not in used_keys(draft, "protocol"):
            keys -= {"cohort"}
        hashing = hashes(draft)
        for name in own_names():
            field = self.query_one(f"#{name}", Field)
            field.display = name in keys
            field.disabled = name in ("seeds", "scoring") and not hashing
            if field.display:
                self._place(name, f"{part}.{name}", draft)
        self.query_one("#facts").display = True

    def _show_targets(
        self, draft: Draft, name: str, table: str, shown: bool, *, leave: str = ""
    ) -> None:
        """The three fields of targets: how they are picked, and how many or which.

        leave : what it means to have none here, where that may be.
        """
        targets = value_of(draft, table)
        listed = isinstance(targets, dict) and "items" in targets
        pick, many, items = (self.query_one(f"#{name}-{key}", Field) for key in TARGET_KEYS)
        pick.display = shown
        many.display = shown and not listed and not (leave and targets is None)
        items.display = shown and listed
        if not shown:
            return
        how = "listed" if listed else SHARED if leave and targets is None else None
        rules = input_of("attack.targets.pick")[1] or []
        options = [*([(SHARED, leave)] if leave else ()), *rules, ("listed", "listed")]
        pick.choose_from(options)
        pick.move_to(f"{table}.pick")
        pick.swept = swept(draft, f"{table}.pick")
        pick.show(how or value_of(draft, f"{table}.pick"), said(draft, f"{table}.pick"))
        if many.display:
            self._place(many.id or "", f"{table}.count", draft)
        if items.display:
            self._place(items.id or "", f"{table}.items", draft)

    def _place(self, name: str, key: str, draft: Draft) -> None:
        """Let a field edit a key, and show what is there."""
        field = self.query_one(f"#{name}", Field)
        field.move_to(key)
        field.swept = swept(draft, key)
        field.show(value_of(draft, key), said(draft, key))

    # Upwards.

    def on_key_edited(self, event: KeyEdited) -> None:
        """Turn a choice that stands for many keys into an edit of the table that they are in."""
        draft = self.draft
        if draft is None:
            return
        table, _, leaf = event.key.rpartition(".")
        if event.key == "attack.shape":
            event.stop()
            self._reshape(event.value)
        elif event.key == "campaign.drift" and isinstance(event.value, str):
            event.stop()
            self.post_message(KeyEdited(event.key, drifting(draft, event.value)))
        elif event.key == "goal.metric":
            event.stop()
            self.post_message(KeyEdited(*aimed(draft, event.value)))
        elif leaf == "pick":
            event.stop()
            self.post_message(KeyEdited(table, picked(draft, table, event.value)))
        elif leaf == "shape" and table.endswith(".share"):
            event.stop()
            self.post_message(
                KeyEdited(table, ramp_of(draft, table.removesuffix(".share"), event.value))
            )

    def _reshape(self, shape: Shape) -> None:
        now = script.shape_of(self._attack)
        self._kept[now] = dict(self._attack)
        kept = self._kept.get(shape)
        same = kept is not None and script.reshaped(kept, now) == dict(self._attack)
        wanted = kept if same and kept is not None else script.reshaped(self._attack, shape)
        lost = script.lost(self._attack, wanted)
        self.post_message(KeyEdited("attack", wanted))
        if lost:
            self.post_message(Noted(f"{lost} left out; ctrl+z brings them back"))

    def on_item_list_asked(self, event: ItemList.Asked) -> None:
        event.stop()
        draft = self.draft
        if draft is None or not draft.parses:
            return
        if event.what == "show":
            self.watch_draft(draft)
            return
        if event.what == "open":
            self.query_one("#length" if event.items is self._phases else "#weight").focus()
            return
        phased = event.items is self._phases
        table = "attack" if phased else self._stage
        key = f"{table}.phase" if phased else f"{table}.mix"
        before = script.phases_of(self._attack) if phased else script.parts_of(
            value_of(draft, table) or {}
        )  # fmt: skip
        items, at = script.changed(before, event.what, event.at, phased)
        event.items.at = at
        if items == before:
            return  # two equal rows have changed places
        if event.what == "remove":
            gone = f"{event.items.noun} {event.at + 1} removed"
            self.post_message(Noted(f"{gone}; ctrl+z brings it back"))
        self.post_message(KeyEdited(key, items))


def _chosen(items: ItemList) -> int:
    """The row whose fields are shown: the last one where the row that adds one is chosen."""
    return min(items.at, max(0, len(items.rows) - 1))
