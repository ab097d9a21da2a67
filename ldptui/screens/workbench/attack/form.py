"""The attack as a form: one kind, a mixture of kinds, or the phases of a campaign.

Every field edits one key of the scenario's text. Which one, where the attack is a list, depends on
the phase and the part chosen: the fields move with the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from textual.app import ComposeResult, RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive, var
from textual.widget import Widget
from textual.widgets import Static

from ....catalogue import key_words, kind_words, listed_kinds, title_of
from ....messages import KeyEdited, Noted
from ....session.draft import attack_script as script
from ....session.draft import kind_of, sweep_of, value_of
from ....session.draft.attack_script import Shape, Table
from ....text.format import MISSING, count, percent, short
from ....widgets.blank import Scrolled
from ....widgets.field import Field, faint, muted
from ....widgets.words import put, put_or_hide
from ..form_pane import fill, labelled, names_in
from ..row_list import Item, ItemList
from .shown import attack_of, meant, own_names, shown

if TYPE_CHECKING:
    from ....session.draft import Draft


_EIGHTHS = " ▁▂▃▄▅▆▇█"
_ROWS = 2
_MARGIN = 8


class Stretch(Struct, frozen=True):
    """A phase as the strip draws it: its share in each round, its mixture in words."""

    shares: tuple[float, ...]
    mix: str
    off: bool = False


class PhaseStrip(Widget):
    """Share over rounds as a bar chart of eighths, with each phase's mixture in words below it.

    `at` is the phase that is chosen, `cursor` the round that the Timeline shows (None: none).
    """

    DEFAULT_CSS = """
    PhaseStrip { height: auto; width: 1fr; }
    """

    stretches: reactive[tuple[Stretch, ...]] = reactive((), layout=True)
    rounds: reactive[int] = reactive(0)
    at: reactive[int] = reactive(0)
    cursor: reactive[int | None] = reactive(None)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return _ROWS + 2 if self.stretches else 0

    def render(self) -> RenderResult:
        wide = self.size.width - _MARGIN - 1
        length = max(self.rounds, sum(len(stretch.shares) for stretch in self.stretches))
        if wide < 8 or not length:
            return Content("")
        places = _places([len(stretch.shares) for stretch in self.stretches], length, wide)
        highest = max(
            (share for stretch in self.stretches for share in stretch.shares), default=0.0
        )
        lines = [self._bars(row, places, highest) for row in range(_ROWS)]
        lines.append(self._axis(places, wide))
        lines.append(self._mixes(places, wide))
        return Content("\n").join(lines)

    def _style(self, number: int) -> str:
        if self.stretches[number].off:
            return faint(self)
        return "$text-accent" if number == self.at else "$foreground"

    def _bars(self, row: int, places: Sequence[tuple[int, int]], highest: float) -> Content:
        """A row of the bars, the uppermost first, with the highest share at its left."""
        margin = percent(highest) if row == 0 else "0" if row == _ROWS - 1 else ""
        line = Content.styled(margin.rjust(_MARGIN - 1), muted(self)) + Content(" ")
        for number, (start, stop) in enumerate(places):
            shares = self.stretches[number].shares
            cells = "".join(
                _cell(_mean(shares, at, stop - start) / highest if highest else 0.0, row)
                for at in range(stop - start)
            )
            line += Content.styled(cells, self._style(number))
        return line

    def _axis(self, places: Sequence[tuple[int, int]], wide: int) -> Content:
        """The rounds' axis: where each phase starts, and the round that the Timeline shows."""
        cells = ["─"] * wide
        for start, _ in places:
            cells[start] = "┬" if start else "├"
        if self.cursor is not None and self.rounds:
            cells[min(wide - 1, self.cursor * wide // self.rounds)] = "▲"
        return Content(" " * _MARGIN) + Content.styled("".join(cells), muted(self))

    def _mixes(self, places: Sequence[tuple[int, int]], wide: int) -> Content:
        """The words of each phase below it; those of the last one go on to the right."""
        line = Content(" " * _MARGIN)
        for number, (start, stop) in enumerate(places):
            stretch = self.stretches[number]
            stop = stop if number < len(places) - 1 else wide + 1
            words = f"{stretch.mix} off" if stretch.off else stretch.mix
            room = stop - start
            text = Content.styled(words, self._style(number)).truncate(
                max(0, room - 1), ellipsis=True
            )
            line += text.pad_right(max(0, room - text.cell_length))
        return line


def _places(lengths: Sequence[int], rounds: int, wide: int) -> list[tuple[int, int]]:
    """First and one past the last cell of each phase, in proportion to its rounds; one at least."""
    places, done = [], 0
    for length in lengths:
        start, done = done, done + length
        places.append((start * wide // rounds, done * wide // rounds))
    return places


def _mean(shares: Sequence[float], at: int, cells: int) -> float:
    """The mean share of the rounds under a cell; of the one round that it is a part of."""
    first = at * len(shares) // cells
    last = max(first + 1, (at + 1) * len(shares) // cells)
    under = shares[first:last]
    return sum(under) / len(under)


def _cell(height: float, row: int) -> str:
    """A bar's cell in a row; what is above 0 is seen."""
    eighths = round(height * 8 * _ROWS)
    if height > 0:
        eighths = max(1, eighths)
    left = eighths - 8 * (_ROWS - 1 - row)
    return _EIGHTHS[max(0, min(8, left))]


NARROWEST: Final = 38
"""Cells that words in the form have where all panes stand on one screen."""


def hashes(draft: Draft) -> bool:
    """True if users hash their items, so that an attacker searches for seeds."""
    values = sweep_of(draft).get("protocol.kind")
    kinds = values if isinstance(values, list) else [kind_of(draft, "protocol")]
    return any(kind_words("protocol", kind).family == "hashing" for kind in map(str, kinds))


def problem(draft: Draft, key: str) -> str:
    """The problem of a key in a sentence, "" if it has none."""
    fault = draft.problem(key)
    return fault.message if fault is not None else ""


def stretches(draft: Draft, phases: list[Table]) -> Iterator[Stretch]:
    """The phases as the last valid scenario has bound them."""
    rounds = draft.cell.rounds if draft.cell is not None else ()
    for at, phase in enumerate(phases):
        first, last = script.span(phases, at)
        shares = tuple(cell.share for cell in rounds[first : last + 1])
        off = phase.get("muted") is True
        yield Stretch(
            shares or (0.0,) * max(0, last - first + 1),
            script.described_mix(script.parts_of(phase)),
            off,
        )


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


SHAPES: Final = (("one", "one kind"), ("mixture", "mixture"), ("phases", "phases"))
WHOLE: Final = frozenset({"attack", "attack.mix", "attack.phase"})
"""Keys that have no field of their own: what is wrong with one is said beside the shapes."""
TARGETS_OF: Final = {"phase": "targets of the phase", "own": "targets of the part"}


def kind_fields(name: str) -> Iterator[Widget]:
    """The kind of an attack, which may be none, or of a part, and why one would choose it."""
    kinds = [(kind, kind) for kind in listed_kinds("attack") if name == "kind" or kind != "none"]
    yield Field("attack.kind", "", options=kinds, rows=4, id=name)
    yield Static(classes="words", id=f"{name}-reason", markup=False)


def target_fields(name: str) -> Iterator[Field]:
    """How the targets of the attack, a phase or a part are picked, how many, or which."""
    label = TARGETS_OF.get(name) or title_of("attack.targets.pick")
    yield Field("attack.targets.pick", label, id=f"{name}-pick")
    yield labelled("attack.targets.count", id=f"{name}-count")
    yield labelled("attack.targets.items", id=f"{name}-items")


class AttackForm(Scrolled):
    """The form of the attack: one kind, a mixture or phases, its goal and its targets.

    Posts KeyEdited with keys of the scenario, and Noted with what a change has dropped.
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
        yield labelled("campaign.drift", options=[("none", "none")])
        for name in names_in("population"):
            if isinstance(key_words(f"population.{name}").start, float):
                yield labelled(f"campaign.drift.{name}")
        yield PhaseStrip()
        yield ItemList("phase", "attack.phase", mutes=True, id="phases")
        yield labelled("attack.phase.*.rounds", id="length")
        yield labelled("attack.phase.*.share.shape", id="ramp")
        yield labelled("goal.metric")
        yield labelled("goal.at_least")
        yield labelled("goal.over")
        yield labelled("attack.share")
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
    def _phases(self) -> ItemList:
        return self.query_one("#phases", ItemList)

    @property
    def _parts(self) -> ItemList:
        return self.query_one("#parts", ItemList)

    @property
    def _stage(self) -> str:
        """The table with the share, the targets and the mixture: the attack, or a phase of it."""
        if script.shape_of(attack_of(self.draft)) != "phases":
            return "attack"
        return f"attack.phase.{_chosen(self._phases)}"

    @property
    def _part(self) -> str:
        """The table with a kind and its keys: the attack, or a part of a mixture."""
        if script.shape_of(attack_of(self.draft)) == "one":
            return "attack"
        return f"{self._stage}.mix.{_chosen(self._parts)}"

    # Downwards.

    def watch_cursor(self) -> None:
        if self.is_mounted:
            self.query_one(PhaseStrip).cursor = self.cursor

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted or not draft.parses:
            return
        shape = script.shape_of(attack_of(draft))
        whole = (fault.message for fault in draft.problems if fault.key in WHOLE)
        shapes, *fields = self.query_children(Field)
        shapes.show(shape, next(whole, ""))
        self._list_phases(draft, shape == "phases")
        self._list_parts(draft, shape != "one")
        rows = shown(draft, self._stage, self._part)
        fill(fields, draft, rows)
        for name in ("seeds", "scoring"):
            self.query_one(f"#{name}").disabled = not hashes(draft)
        for name in ("kind", "part-kind"):
            reason = kind_words("attack", rows[name].value).reason if name in rows else ""
            put_or_hide(self.query_one(f"#{name}-reason", Static), reason)
        words = self.query_one("#facts", Static)
        words.display = True
        put(words, facts(draft))

    def _list_phases(self, draft: Draft, phased: bool) -> None:
        """The phases, and their shares as a strip."""
        strip, phases = self.query_one(PhaseStrip), self._phases
        strip.display = phases.display = phased
        if not phased:
            return
        tables = script.phases_of(attack_of(draft))
        phases.rows = tuple(
            Item(script.described_phase(tables, at), problem(draft, f"attack.phase.{at}"),
                 tables[at].get("muted") is True)
            for at in range(len(tables))
        )  # fmt: skip
        phases.at = phases.at  # in range again
        strip.stretches = tuple(stretches(draft, tables))
        rounds = draft.cell.rounds if draft.cell is not None else ()
        strip.rounds, strip.at = len(rounds), _chosen(phases)

    def _list_parts(self, draft: Draft, mixed: bool) -> None:
        """The parts of the mixture, of the attack or of the chosen phase."""
        parts, stage = self._parts, self._stage
        parts.display = mixed
        if mixed:
            tables = script.parts_of(value_of(draft, stage) or {})
            parts.rows = tuple(
                Item(row, problem(draft, f"{stage}.mix.{at}"))
                for at, row in enumerate(script.described_parts(tables))
            )
            parts.at = parts.at

    # Upwards.

    def on_key_edited(self, event: KeyEdited) -> None:
        """Turn a choice that stands for many keys into an edit of the table that they are in."""
        if self.draft is None:
            return
        if event.key == "attack.shape":
            event.stop()
            self._reshape(event.value)
        elif (edit := meant(self.draft, event.key, event.value)) is not None:
            event.stop()
            self.post_message(KeyEdited(*edit))

    def _reshape(self, shape: Shape) -> None:
        before = dict(attack_of(self.draft))
        now = script.shape_of(before)
        self._kept[now] = before
        kept = self._kept.get(shape)
        same = kept is not None and script.reshaped(kept, now) == before
        wanted = kept if same and kept is not None else script.reshaped(before, shape)
        lost = script.lost(before, wanted)
        self.post_message(KeyEdited("attack", wanted))
        if lost:
            self.post_message(Noted(f"{lost} left out; ctrl+z brings them back"))

    def on_row_list_asked(self, event: ItemList.Asked) -> None:
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
        before = script.phases_of(attack_of(draft)) if phased else script.parts_of(
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
