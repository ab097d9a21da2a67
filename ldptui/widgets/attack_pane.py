"""Pane 3: the attack as a form, and the scenario as text: two views of one draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import var
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import OptionList, Static

from ..format import count, short
from ..help import kind_help
from ..messages import KeyEdited
from .blank import Scrolled
from .field import Field
from .parameters_pane import BLOCK_S, labelled, said
from .script_editor import ProblemList, ScriptEditor

if TYPE_CHECKING:
    from ..draft import Draft

SIDE_BY_SIDE: Final = 74
"""Cells inside the border from which form and script stand side by side."""
STACKED: Final = 24
"""Rows inside the border from which they stand one above the other."""
NARROWEST: Final = 38
"""Cells that words in the form have where all panes stand on one screen."""
PATIENCE_S: Final = 0.4
"""How long a text that is being typed may be wrong before the list below it says so."""

_KINDS: Final = (
    *("none", "rpa", "ria", "ria-unperturbed", "input", "mga"),
    *("mga-a", "apa", "untargeted", "demote", "adaptive", "plugin"),
)
_PICKS: Final = {
    "random": "random",
    "least-frequent": "least frequent",
    "most-frequent": "most frequent",
    "listed": "listed",
}
_HASHING: Final = frozenset({"blh", "olh"})


class AttackPane(Widget, can_focus=True):
    """Form and script; where there is room for one only, `s` switches."""

    BORDER_TITLE = "3 Attack"
    DEFAULT_CSS = """
    AttackPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        layout: vertical;
        height: 1fr;
        &.-wrong { border-subtitle-color: $text-error; }
        & > #form {
            height: 1fr;
            padding-right: 1;
            scrollbar-size-vertical: 1;
            scrollbar-color: $foreground 25%;
            scrollbar-background: $background;
        }
        & > #script { height: 1fr; display: none; padding: 0 0 0 1; }
        & .words { color: $foreground 60%; padding: 0 1 0 2; height: auto; }
        &:ansi .words { text-style: dim; }
        &.-show-script > #form { display: none; }
        &.-show-script > #script { display: block; }
        &.-both > #form, &.-both > #script { display: block; }
        &.-side { layout: horizontal; }
        &.-side > #form { width: 42; }
        &.-side > #script { width: 1fr; border-left: solid $foreground 15%; }
        &.-stacked > #form { height: auto; max-height: 50%; }
        &.-stacked > #script { border-top: solid $foreground 15%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "switch", "Form/script", id="attack.switch"),
        Binding("alt+s", "switch", "Form/script", show=False, id="attack.switch-anywhere"),
        Binding("enter,down,j", "enter", "Edit", show=False, id="attack.edit"),
    ]

    draft: var[Draft | None] = var(None, always_update=True)  # what changed redraws itself
    view: var[str] = var("form")

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._last: Widget | None = None
        self._block_timer: Timer | None = None
        self._said = ""

    def compose(self) -> ComposeResult:
        with Scrolled(id="form"):
            yield Field("attack.kind", "", options=[(kind, kind) for kind in _KINDS])
            yield Static(classes="words", id="reason", markup=False)
            yield labelled("attack.name")
            yield labelled("attack.share", "number")
            yield labelled("attack.targets.pick", options=list(_PICKS.items()))
            yield labelled("attack.targets.count", "integer")
            yield labelled("attack.targets.items", "list")
            yield labelled("attack.distribution", "list", optional=True)
            yield labelled("attack.subset", "integer")
            yield labelled("attack.size", "integer")
            yield labelled("attack.seeds", "integer", optional=True)
            scorings = [("anchor", "anchor"), ("bucket", "bucket")]
            yield labelled("attack.scoring", options=scorings)
            yield labelled("attack.cohort", "number", optional=True)
            yield Static(classes="words", id="facts", markup=False)
        with Vertical(id="script"):
            yield ScriptEditor()
            yield ProblemList()

    def on_mount(self) -> None:
        for field in list(self.query(Field))[1:]:
            field.display = False

    # The two views.

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        side = self.size.width >= SIDE_BY_SIDE
        stacked = not side and self.size.height >= STACKED
        self.set_class(side, "-side")
        self.set_class(stacked, "-stacked")
        self.set_class(side or stacked, "-both")
        self._say_below()

    def watch_view(self) -> None:
        self.set_class(self.view == "script", "-show-script")
        self._say_below()

    def action_switch(self) -> None:
        """Show the other view and go there; where both stand, go there."""
        inside = self.screen.focused
        in_script = inside is not None and inside in self.query_one("#script").query("*")
        to_form = in_script if self.has_class("-both") else self.view == "script"
        self.view = "form" if to_form else "script"
        target = self._first_field() if to_form else self.query_one(ScriptEditor)
        self.call_after_refresh(target.focus)

    def _say_below(self) -> None:
        """In the lower border: the way to the other view, and an error that it would show."""
        draft = self.draft
        problems = draft.problems if draft is not None else ()
        hidden = self.view == "form" and not self.has_class("-both")
        self.set_class(bool(problems) and hidden, "-wrong")
        other = "script" if self.view == "form" else "form"
        line = problems[0].line if problems and hidden else None
        error = f"✗ line {line} · " if line is not None else ""
        said = "" if self.has_class("-both") else f"{error}[@click=switch]alt+s {other}[/]"
        if said != self._said:
            self._said = self.border_subtitle = said

    # The focus.

    def focus_first(self) -> None:
        """Put the focus where it was last in this pane, or at the start of what is shown."""
        self.action_enter()

    def action_enter(self) -> None:
        last = self._last
        if last is None or not last.focusable:
            script = self.view == "script" and not self.has_class("-both")
            last = self.query_one(ScriptEditor) if script else self._first_field()
        last.focus()

    def _first_field(self) -> Widget:
        return next((one for one in self.query_one("#form").query("*") if one.focusable), self)

    def on_descendant_focus(self) -> None:
        focused = self.screen.focused
        if focused is not None and focused is not self:
            self._last = focused

    # Downwards.

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted:
            return
        editor, problems = self.query_one(ScriptEditor), self.query_one(ProblemList)
        editor.show(draft.text)
        lines = (problem.line for problem in draft.problems)
        editor.mark(frozenset(line for line in lines if line is not None))
        # A list that comes and goes with every second key would make the editor jump.
        problems.show(draft.problems, PATIENCE_S if editor.has_focus else 0)
        self._say_below()
        self._block(draft)
        if draft.parses:
            self._show_form(draft)

    def _show_form(self, draft: Draft) -> None:
        from ..draft import keys_of, kind_of, sweep_of, used_keys, value_of

        kind, swept = kind_of(draft, "attack"), sweep_of(draft)
        targets = value_of(draft, "attack.targets")
        listed = isinstance(targets, dict) and "items" in targets
        protocols = swept.get("protocol.kind")
        kinds = protocols if isinstance(protocols, list) else [kind_of(draft, "protocol")]
        own = set(keys_of("attack", kind))
        if "cohorts" not in used_keys(draft, "protocol"):
            own.discard("cohort")
        for field in self.query_one("#form").query(Field):
            name = field.key.split(".")[1]
            field.display = field.key == "attack.kind" or (
                name in own
                and not (field.key == "attack.targets.count" and listed)
                and not (field.key == "attack.targets.items" and not listed)
            )
            if not field.display:
                continue
            field.swept = field.key in swept
            value = value_of(draft, field.key)
            if field.key == "attack.targets.pick" and listed:
                value = "listed"
            if name in ("seeds", "scoring"):
                field.disabled = not any(one in _HASHING for one in kinds if isinstance(one, str))
            field.show(kind if name == "kind" else value, said(draft, field.key))
        help_ = kind_help("attack", kind)
        _update(self.query_one("#reason", Static), help_.reason if help_ is not None else "")
        _update(self.query_one("#facts", Static), _facts(draft))

    def _block(self, draft: Draft) -> None:
        """While the script does not parse, the form cannot write into it."""
        if draft.parses:
            if self._block_timer is not None:
                self._block_timer.stop()
                self._block_timer = None
            self.query_one("#form").disabled = False
        elif self._block_timer is None:
            self._block_timer = self.set_timer(BLOCK_S, self._close)

    def _close(self) -> None:
        if self.draft is not None and not self.draft.parses:
            self.query_one("#form").disabled = True

    # Upwards.

    def on_key_edited(self, event: KeyEdited) -> None:
        """Picked or listed: the targets are one table either way, so the whole of it is set."""
        draft = self.draft
        if event.key != "attack.targets.pick" or draft is None:
            return
        event.stop()
        from ..draft import value_of

        targets = value_of(draft, "attack.targets")
        before = targets if isinstance(targets, dict) else {}
        if event.value == "listed":
            table: dict[str, Any] = {"items": _targets_now(draft)}
        else:
            items = before.get("items")
            many = len(items) if isinstance(items, list) else 10
            table = {"pick": event.value, "count": before.get("count", max(1, many))}
        self.post_message(KeyEdited("attack.targets", table))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        problem = self.query_one(ProblemList).problems[event.option_index]
        self.query_one(ScriptEditor).go_to(problem.line or 1)


def _update(words: Static, text: str) -> None:
    """Change words that differ: the same ones would lay out the whole screen anew."""
    if str(words.content) != text:
        words.update(text)


def _targets_now(draft: Draft) -> list[int | str]:
    """The targets of the last valid scenario, as a list would name them."""
    cell = draft.cell
    if cell is None or not cell.targets.size:
        return [0]
    indices = [int(item) for item in cell.targets[:100]]
    labels = cell.population.labels
    return [labels[item] for item in indices] if labels is not None else list(indices)


def _facts(draft: Draft) -> str:
    """What the attack comes to in the last valid scenario: m, r, f_T."""
    cell = draft.cell
    if cell is None or cell.attack is None:
        return ""
    held = short(cell.target_frequency, 3)
    said = f"m = {count(cell.malicious)} fakes   r = {cell.targets.size}"
    gap = "   " if len(said) + len(held) <= NARROWEST - 9 else "\n"  # never inside a number
    return f"{said}{gap}f_T = {held}"
