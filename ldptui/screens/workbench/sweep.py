"""The sweep in the form: a list of swept keys, and fields for the one that is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ...catalogue.help import title_of
from ...messages import FieldFocused, KeyEdited
from ...text.format import count
from ...widgets.blank import Rows
from ...widgets.field import LABEL_WIDTH, Field, faint, leave, muted, write

if TYPE_CHECKING:
    from ...session.draft import Draft

_OPENING: Final[Mapping[str, Any]] = {
    "attack.share": {"from": 0.0, "to": 0.2, "points": 11},
    "attack.targets.count": {"from": 1, "to": 20, "points": 20},
    "attack.seeds": {"from": 1, "to": 10_000, "points": 9, "scale": "log"},
    "protocol.epsilon": {"from": 0.5, "to": 4.0, "points": 8},
    "protocol.hash_range": {"from": 2, "to": 16, "points": 15},
    "protocol.form": ["full", "one-time", "basic", "basic-one-time"],
    "protocol.f": {"from": 0.1, "to": 0.9, "points": 9},
    "protocol.p": {"from": 0.1, "to": 0.5, "points": 5},
    "protocol.q": {"from": 0.6, "to": 0.9, "points": 4},
    "protocol.bits": [16, 32, 64, 128, 256],
    "protocol.hashes": [1, 2, 4, 8],
    "protocol.cohorts": [8, 16, 32, 64, 128],
    "protocol.alpha": [0.01, 0.05, 0.1],
    "protocol.adjust": ["bonferroni", "benjamini-hochberg"],
    "protocol.delta": {"from": 1e-9, "to": 1e-3, "points": 7, "scale": "log"},
    "protocol.neighbours": ["change-one", "add-remove"],
    "attack.cohort": {"from": 0.0, "to": 1.0, "points": 6},
    "population.items": {"from": 16, "to": 1024, "points": 7, "scale": "log"},
    "population.users": {"from": 10_000, "to": 10_000_000, "points": 7, "scale": "log"},
    "population.exponent": {"from": 0.0, "to": 2.0, "points": 9},
    "population.ratio": {"from": 0.5, "to": 0.95, "points": 10},
    "population.std": {"from": 2.0, "to": 32.0, "points": 5, "scale": "log"},
    "protocol.kind": ["grr", "oue", "olh"],
    "attack.kind": ["rpa", "ria", "mga"],
    "attack.subset": {"from": 1, "to": 10, "points": 10},
    "attack.size": {"from": 1, "to": 100, "points": 10},
    "attack.targets.pick": ["random", "least-frequent", "most-frequent"],
    "attack.scoring": ["anchor", "bucket"],
    "simulate.top_k": {"from": 5, "to": 25, "points": 5},
    "seed": [0, 1, 2, 3, 4],
}
"""The keys that the form can sweep, each with the values that it starts with."""

_PARTS: Final = ("key", "form", "from", "to", "points", "scale", "values")


def described(spec: Any, width: int) -> str:
    """`0 → 0.2, 12 points, linear`, or shorter where there is no room for that."""
    if isinstance(spec, list):
        texts = [write(one) for one in spec]
        for kept in (len(texts), 4, 3, 2):
            text = ", ".join(texts[:kept]) + (f", … {texts[-1]}" if kept < len(texts) else "")
            if cell_len(text) <= width:
                return text
        ends = f"{texts[0]} … {texts[-1]} ({len(texts)})" if texts else ""
        return ends if 0 < cell_len(ends) <= width else f"{len(spec)} values"
    if not isinstance(spec, Mapping):
        return write(spec)
    ends = f"{write(spec.get('from'))} → {write(spec.get('to'))}"
    points, scale = write(spec.get("points")), write(spec.get("scale", "linear"))
    short_scale = f" {scale}" if scale != "linear" else ""
    for text in (f"{ends}, {points} points, {scale}", f"{ends}, {points} points{short_scale}",
                 f"{ends} ({points}){short_scale}"):  # fmt: skip
        if cell_len(text) <= width:
            return text
    return f"{points} points{short_scale}"


@dataclass(frozen=True)
class Row:
    key: str
    spec: Any
    problem: str


class SweepList(Widget, can_focus=True):
    """The swept keys, one row each, and a row that adds one."""

    DEFAULT_CSS = """
    SweepList { height: auto; width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="sweep.next"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="sweep.previous"),
        Binding("enter,space", "open", "Edit", id="sweep.edit"),
        Binding("a,plus", "add", "Add", id="sweep.add"),
        Binding("d,delete,minus", "remove", "Remove", id="sweep.remove"),
        Binding("escape", "leave", "Leave", show=False, id="sweep.leave"),
    ]

    rows: reactive[tuple[Row, ...]] = reactive((), layout=True)
    at: reactive[int] = reactive(0)
    opened: reactive[str] = reactive("")
    size_note: reactive[str] = reactive("")

    @dataclass(eq=False)
    class Asked(Message):
        """What to do, and with which key ("" for the row that adds one)."""

        what: str
        key: str

    def on_focus(self) -> None:
        self.post_message(FieldFocused("sweep"))

    def validate_at(self, at: int) -> int:
        return min(max(at, 0), len(self.rows))

    def action_move(self, by: int) -> None:
        self.at += by

    def action_open(self) -> None:
        key = self.rows[self.at].key if self.at < len(self.rows) else ""
        self.post_message(self.Asked("open" if key else "add", key))

    def action_add(self) -> None:
        self.post_message(self.Asked("add", ""))

    def action_remove(self) -> None:
        if self.at < len(self.rows):
            self.post_message(self.Asked("remove", self.rows[self.at].key))

    def action_leave(self) -> None:
        leave(self)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 1:
            return
        y = 1
        for at in range(len(self.rows) + 1):
            lines = len(self._row(at, self.size.width)) if at < len(self.rows) else 1
            if y <= offset.y < y + lines:
                self.at = at
                if at < len(self.rows) and offset.x >= self.size.width - 2:
                    self.action_remove()
                else:
                    self.action_open()
                return
            y += lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(len(self._row(at, width)) for at in range(len(self.rows))) + 2

    def render(self) -> RenderResult:
        width = self.size.width
        heading = Content.assemble(("  sweep", muted(self)))
        gap = width - heading.cell_length - cell_len(self.size_note) - 1
        if self.size_note and gap > 0:
            heading += Content.styled(" " * gap + self.size_note, muted(self))
        lines = [heading]
        for at in range(len(self.rows)):
            lines += self._row(at, width)
        here = self.has_focus and self.at == len(self.rows)
        mark = Content.styled("› " if here else "  ", "$text-accent")
        add = "sweep another key" if self.rows else "sweep a key"
        style = faint(self) if self.is_disabled else "$text-accent bold" if here else muted(self)
        return Content("\n").join([*lines, mark + Content.styled(f"+ {add}", style)])

    def _row(self, at: int, width: int) -> list[Content]:
        row = self.rows[at]
        here = self.has_focus and at == self.at
        mark = "✗ " if row.problem else "› " if here else "▾ " if row.key == self.opened else "↔ "
        style = "$text-error" if row.problem else "$text-accent" if here else muted(self)
        label = title_of(row.key).ljust(LABEL_WIDTH - 3)[: max(LABEL_WIDTH - 3, 8)]
        line = Content.assemble(
            (mark, style),
            (label, "$text-accent" if here else muted(self)),
            " ",
            (described(row.spec, width - LABEL_WIDTH - 3), "$foreground"),
        )
        line = line.pad_right(max(0, width - 2 - line.cell_length))
        lines = [line + Content.styled("×", muted(self) if here else faint(self))]
        if row.problem and row.key != self.opened:
            wrapped = Content(row.problem).wrap(max(10, width - 2))
            lines += [Content("  ") + one.stylize("$text-error") for one in wrapped]
        return lines


class SweepEditor(Rows):
    """The list, and below it the fields of the key that is opened. Posts `sweep.KEY` edits."""

    DEFAULT_CSS = """
    SweepEditor {
        height: auto;
        & > #axis { height: auto; display: none; }
        &.-open > #axis { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self._wanted = ""  # to be opened once the draft has it

    def compose(self) -> ComposeResult:
        yield SweepList()
        with Rows(id="axis"):
            yield Field("sweep.key", "", options=())
            yield Field("sweep.form", "values", options=[("range", "range"), ("list", "list")])
            yield Field("sweep.from", "from", "number")
            yield Field("sweep.to", "to", "number")
            yield Field("sweep.points", "points", "integer", like="sweep.points")
            yield Field("sweep.scale", "scale", options=[("linear", "linear"), ("log", "log")])
            yield Field("sweep.values", "one by one", "list")

    @property
    def sweeps(self) -> SweepList:
        return self.query_one(SweepList)

    # Downwards.

    def show(self, draft: Draft) -> None:
        from ...session.draft import own_problem, sweep_of

        self._draft = draft
        swept = sweep_of(draft)
        rows = []
        for key, spec in swept.items():
            problem = draft.problem(f"sweep.{key}")
            if problem is None and own_problem(draft, key) is None:  # not of the key's own value
                problem = draft.problem(key)
            rows.append(Row(key, spec, problem.message if problem is not None else ""))
        sweeps = self.sweeps
        sweeps.rows = tuple(rows)
        sweeps.size_note = self._amount(draft)
        if self._wanted in swept:
            sweeps.opened, self._wanted = self._wanted, ""
            sweeps.at = list(swept).index(sweeps.opened)
            self.call_after_refresh(self._focus_axis)
        elif sweeps.opened not in swept:
            sweeps.opened = ""
        sweeps.at = sweeps.at  # in range again
        self.set_class(bool(sweeps.opened), "-open")
        if sweeps.opened:
            self._show_axis(draft, sweeps.opened, swept)

    def _amount(self, draft: Draft) -> str:
        if draft.scenario is None or draft.cell is None or draft.problems:
            return ""
        cells, trials = draft.scenario.cells, draft.cell.trials
        if cells < 2:
            return ""
        return f"{count(cells)} cells × {count(trials)} trials"

    def _show_axis(self, draft: Draft, key: str, swept: Mapping[str, Any]) -> None:
        spec = swept[key]
        ranged = isinstance(spec, Mapping)
        numeric = isinstance(_OPENING.get(key), Mapping) or ranged
        fields = {field.key.removeprefix("sweep."): field for field in self.query(Field)}
        free = [one for one in sweepable(draft) if one == key or one not in swept]
        if key not in free:
            free.insert(0, key)
        fields["key"].choose_from([(one, title_of(one)) for one in free])
        fields["key"].show(key)
        fields["form"].show("range" if ranged else "list")
        fields["form"].display = numeric or key == "seed"
        for name in ("from", "to", "points", "scale"):
            fields[name].display = ranged
            if ranged:
                fields[name].follow("sweep.points" if name == "points" else key)
                problem = draft.problem(f"sweep.{key}.{name}")
                value = spec.get(name, "linear" if name == "scale" else None)
                fields[name].show(value, problem.message if problem is not None else "")
        fields["values"].display = not ranged
        exact = next((one for one in draft.problems if one.key == f"sweep.{key}"), None)
        own = exact or next((one for one in draft.problems if one.key == key), None)
        said = own.message if own is not None else ""
        if ranged:
            fields["scale"].show(spec.get("scale", "linear"), said)
        else:
            fields["values"].show(spec, said)

    def _focus_axis(self) -> None:
        if self.sweeps.opened:
            self.query(Field).first().control.focus()

    # Upwards.

    def on_sweep_list_asked(self, event: SweepList.Asked) -> None:
        event.stop()
        if self._draft is None or not self._draft.parses:
            return
        if event.what == "remove":
            self.sweeps.focus()
            self.post_message(KeyEdited(f"sweep.{event.key}", None))
        elif event.what == "add":
            self._add()
        elif self.sweeps.opened == event.key:
            self.sweeps.opened = ""
            self.show(self._draft)
        else:
            self._wanted = event.key
            self.show(self._draft)

    def _add(self) -> None:
        from ...session.draft import sweep_of

        assert self._draft is not None
        swept = sweep_of(self._draft)
        key = next((one for one in sweepable(self._draft) if one not in swept), None)
        if key is not None:
            self._wanted = key
            self.post_message(KeyEdited(f"sweep.{key}", _opening(self._draft, key)))

    def on_key_edited(self, event: KeyEdited) -> None:
        part = event.key.removeprefix("sweep.")
        key = self.sweeps.opened
        if part not in _PARTS or self._draft is None:
            return  # one of ours, on its way up
        event.stop()
        from ...session.draft import sweep_of

        swept = sweep_of(self._draft)
        if key not in swept:
            return
        spec = swept[key]
        if part == "key":
            self._wanted = event.value
            opening = _opening(self._draft, event.value)
            table = {(event.value if one == key else one): (opening if one == key else value)
                     for one, value in swept.items()}  # fmt: skip
            self.sweeps.opened = ""
            self.post_message(KeyEdited("sweep", table))
            return
        if part == "form":
            spec = _listed(self._draft, key, spec) if event.value == "list" else _ranged(key, spec)
        elif part == "values":
            spec = event.value
        elif isinstance(spec, Mapping):
            spec = {name: value for name, value in {**spec, part: event.value}.items()
                    if (name, value) != ("scale", "linear")}  # fmt: skip
        self.post_message(KeyEdited(f"sweep.{key}", spec))


def sweepable(draft: Draft) -> list[str]:
    """The keys that a sweep may have, for the kinds of a draft."""
    from ...session.draft import keys_of, kind_of, sweep_of, used_keys

    swept = sweep_of(draft)
    used = used_keys(draft, "protocol")
    found = []
    for key in _OPENING:
        table, _, leaf = key.partition(".")
        name = leaf.partition(".")[0]
        if table in ("population", "protocol", "attack") and name != "kind":
            listed = swept.get(f"{table}.kind")
            kinds = listed if isinstance(listed, list) else [kind_of(draft, table)]
            if not any(isinstance(kind, str) and name in keys_of(table, kind) for kind in kinds):
                continue
            if kinds == ["rappor"] and name not in used:
                continue
            if key == "attack.cohort" and "cohorts" not in used:
                continue
        if key == "attack.kind" and kind_of(draft, "attack") == "none":
            continue
        found.append(key)
    return found


def _opening(draft: Draft, key: str) -> Any:
    """The values that a newly swept key starts with; never more targets than items."""
    opening = _OPENING[key]
    if key == "attack.targets.count" and draft.cell is not None:
        most = min(opening["to"], draft.cell.population.domain_size)
        return {"from": 1, "to": most, "points": most}
    if key == "protocol.kind" and draft.cell is not None:
        from core.protocols import CENTRAL

        kind = draft.cell.parameters["protocol.kind"]
        if kind in CENTRAL:
            return ["grr", "oue", kind]
    if key == "protocol.kind" and draft.cell is not None and draft.cell.noise is not None:
        return ["sue", "oue", "olh", "rappor"]
    if key == "protocol.epsilon" and draft.cell is not None and draft.cell.noise is not None:
        # Fresh noise alone bounds ε₁; with it all, f would have to be below 0.
        noise, hashes = draft.cell.noise, draft.cell.hashes
        if noise.p > 0 and noise.q < 1:
            most = float(f"{0.9 * replace(noise, f=0.0).epsilon_one(hashes):.2g}")
            return opening | {"from": min(0.5, most / 4), "to": min(4.0, most)}
    return opening


def _listed(draft: Draft, key: str, spec: Any) -> list[Any]:
    scenario = draft.scenario
    values = scenario.sweep.get(key, []) if scenario is not None else []
    if 0 < len(values) <= 60:
        return list(values)
    return [spec.get("from"), spec.get("to")] if isinstance(spec, Mapping) else list(spec)


def _ranged(key: str, spec: Any) -> Mapping[str, Any]:
    numbers = (
        [one for one in spec if isinstance(one, int | float)] if isinstance(spec, list) else []
    )
    if len(numbers) < 2:
        opening = _OPENING.get(key)
        return opening if isinstance(opening, Mapping) else {"from": 0, "to": 9, "points": 10}
    return {"from": min(numbers), "to": max(numbers), "points": len(numbers)}
