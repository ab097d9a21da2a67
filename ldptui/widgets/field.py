"""One field of a form: a label in words and symbol, a value to edit, and what is wrong under it.

A field takes its value downwards (`Field.show`) and posts `KeyEdited` with every change by hand.
What does not read as the wanted type is posted as the text it is: nothing typed is lost, and the
rule that it breaks is named in one place, the scenario's own check.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, Static

from ..format import count
from ..keys import ALT_DIGITS
from ..messages import FieldFocused, KeyEdited
from .fitting import fitted

if TYPE_CHECKING:
    from core.bounds import Range

LABEL_WIDTH: Final = 24
"""Cells from the left edge of a field to its value: a mark, the label, a gap."""


def muted(widget: Widget) -> str:
    """The style of what is said quietly. ($text-muted is a colour that only CSS can resolve.)"""
    return "dim" if widget.app.native_ansi_color else "$foreground 60%"


def faint(widget: Widget) -> str:
    """The style of what cannot be used now."""
    return "dim" if widget.app.native_ansi_color else "$foreground 38%"


Type = Literal["integer", "number", "text", "list"]


# Text to value and back.


def read(text: str, type_: Type) -> Any:
    """The value that a text stands for; the text itself where it reads as nothing else."""
    if type_ == "text":
        return text
    if type_ == "list":
        return _items(text)
    number = _number(text)
    if number is None:
        return text
    if number == number.to_integral_value() and (type_ == "integer" or _whole(text)):
        return int(number) if abs(number) < 10**30 else text
    return text if type_ == "integer" else float(number)


def _number(text: str) -> Decimal | None:
    """`1_000_000`, `1 000 000`, `1e6`, `10^6`, `5%`; None for anything else."""
    plain = re.sub(r"(?<=\d)[ _\u00a0\u2009\u202f](?=\d)", "", text.strip())
    found = re.fullmatch(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(%?)", plain)
    power = re.fullmatch(r"(\d{1,3})\^(\d{1,2})", plain)
    try:
        if power:
            return Decimal(int(power[1]) ** int(power[2]))
        if found:
            return Decimal(found[1]) / (100 if found[2] else 1)
    except DecimalException:
        pass
    return None


def _whole(text: str) -> bool:
    return "." not in text and "%" not in text and "e-" not in text.lower()


def _items(text: str) -> list[int | float | str]:
    """`0, 5, "New York", Rome`: numbers stay numbers, all else is text."""
    found: list[int | float | str] = []
    for quoted, bare in re.findall(r'\s*(?:"([^"]*)"|([^,]+))\s*(?:,|$)', text.strip().strip("[]")):
        value = read(bare, "number") if bare else quoted
        if value != "" and not (isinstance(value, str) and not value.strip()):
            found.append(value.strip() if isinstance(value, str) and bare else value)
    return found


def write(value: Any, *, grouped: bool = True) -> str:
    """A value as a field shows it; whole numbers in groups of three."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return count(value) if grouped and abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list | tuple):
        return ", ".join(_item(one) for one in value)
    return str(value)


def _item(value: Any) -> str:
    if isinstance(value, str) and _items(value) != [value]:
        return f'"{value}"'
    return write(value, grouped=False)


# Steps: up and down nudge a number, with shift by a bigger step.


@dataclass(frozen=True)
class Steps:
    """How far up and down go. `ladder`: along 1, 2, 5, 10, 20, …, with shift ten times as far.

    `doubling`: along the powers of two, with shift four times as far.
    `decades`: to the tenth or ten times as much, with shift the hundredth.
    """

    small: str = "0.1"
    big: str = "1"
    ladder: bool = False
    doubling: bool = False
    decades: bool = False


_LADDER: Final = Steps(ladder=True)
_DOUBLING: Final = Steps(doubling=True)
_WHOLE: Final = Steps("1", "10")
_STEPS: Final[Mapping[str, Steps]] = {
    "population.items": _LADDER,
    "population.users": _LADDER,
    "population.ratio": Steps("0.01", "0.1"),
    "population.mean": _WHOLE,
    "population.std": _WHOLE,
    "protocol.f": Steps("0.05", "0.25"),
    "protocol.p": Steps("0.05", "0.25"),
    "protocol.q": Steps("0.05", "0.25"),
    "protocol.bits": _DOUBLING,
    "protocol.cohorts": _DOUBLING,
    "protocol.hashes": Steps("1", "4"),
    "protocol.alpha": Steps("0.01", "0.05"),
    "attack.cohort": Steps("0.1", "0.5"),
    "attack.share": Steps("0.01", "0.05"),
    "attack.seeds": _LADDER,
    "trials": _LADDER,
}


def steps_of(key: str, type_: Type) -> Steps:
    return _STEPS.get(key, _WHOLE if type_ == "integer" else Steps())


def nudged(value: float, up: bool, big: bool, steps: Steps) -> int | float:
    """The next number of the grid, or of the ladder, above or below a value."""
    if steps.ladder:
        return _climbed(value, up, big)
    if steps.doubling:
        return _doubled(max(1, round(value)), up, big)
    if steps.decades:
        return float(Decimal(repr(value)).scaleb((2 if big else 1) * (1 if up else -1)))
    step = Decimal(steps.big if big else steps.small)
    at = Decimal(repr(value)) / step
    beyond = math.floor(at) + 1 if up else math.ceil(at) - 1
    number = beyond * step
    whole = isinstance(value, int) and number == number.to_integral_value()
    return int(number) if whole else float(number)


def _doubled(number: int, up: bool, big: bool) -> int:
    """The next power of two above or below, or the one after that."""
    power = number.bit_length() + big if up else (number - 1).bit_length() - 1 - big
    return 1 << max(0, power)


def _climbed(value: float, up: bool, big: bool) -> int:
    number = max(1, round(value))
    if big:
        return number * 10 if up else max(1, round(number / 10))
    power = 10 ** (len(str(number)) - 1)
    rungs = [power // 2, power, 2 * power, 5 * power, 10 * power]
    above = [rung for rung in rungs if rung > number]
    below = [rung for rung in rungs if 0 < rung < number]
    return above[0] if up else (below[-1] if below else 1)


# The controls.


class ValueInput(Input):
    """One row of text; up and down nudge it, esc leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "nudge(True, False)", "More", show=False, id="field.more"),
        Binding("down", "nudge(False, False)", "Less", show=False, id="field.less"),
        Binding("shift+up", "nudge(True, True)", "Much more", show=False, id="field.much-more"),
        Binding("shift+down", "nudge(False, True)", "Much less", show=False, id="field.much-less"),
        Binding("escape", "leave", "Leave the field", show=False, id="field.leave"),
    ]

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return key not in ALT_DIGITS and super().check_consume_key(key, character)

    # One row of a fixed width: its text growing by a letter lays out nothing anew.
    virtual_size = Reactive(Size(0, 0), layout=False)

    @dataclass(eq=False)
    class Nudged(Message):
        up: bool
        big: bool

    def action_nudge(self, up: bool, big: bool) -> None:
        self.post_message(self.Nudged(up, big))

    async def on_key(self, event: events.Key) -> None:
        await act_at_once(self, event)

    def action_leave(self) -> None:
        leave(self)


async def act_at_once(widget: Widget, event: events.Key) -> None:
    """Do what a key is bound to in this widget, before it hears of the next one.

    Textual does it when the key has gone all the way up to the app: letters that were typed after
    a backspace would come before it.
    """
    active = widget.screen.active_bindings.get(event.key)
    if active is not None and active.node is widget and active.enabled:
        event.stop()
        event.prevent_default()
        await widget.run_action(active.binding.action)


def leave(widget: Widget) -> None:
    """Give the focus to the pane around a widget, so that printable keys act again."""
    panes = (one for one in widget.ancestors if isinstance(one, Widget) and one.focusable)
    widget.screen.set_focus(next(panes, None))


class Choice(Widget, can_focus=True):
    """A few words to choose one from, side by side; where they do not fit, one with arrows.

    Moving chooses: what follows the hand can be seen at once.
    """

    DEFAULT_CSS = """
    Choice {
        height: auto;
        width: 1fr;
        pointer: pointer;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up,h,k", "move(-1)", "Previous", show=False, id="choice.previous"),
        Binding("right,down,l,j,space", "move(1)", "Next", show=False, id="choice.next"),
        Binding("escape", "leave", "Leave the field", show=False, id="choice.leave"),
    ]

    value: reactive[Any] = reactive(None)
    options: reactive[tuple[tuple[Any, str], ...]] = reactive(())

    @dataclass(eq=False)
    class Chosen(Message):
        value: Any

    def __init__(self, options: Sequence[tuple[Any, str]], *, rows: int = 1) -> None:
        super().__init__()
        self.rows = rows
        self.set_reactive(Choice.options, tuple(options))

    def watch_options(
        self, before: tuple[tuple[Any, str], ...], after: tuple[tuple[Any, str], ...]
    ) -> None:
        if self.rows > 1 and len(before) != len(after):
            self.refresh(layout=True)

    def action_move(self, by: int) -> None:
        values = [value for value, _ in self.options]
        at = values.index(self.value) + by if self.value in values else 0
        if values and 0 <= at < len(values):
            self._choose(values[at])

    def action_leave(self) -> None:
        leave(self)

    def _choose(self, value: Any) -> None:
        if value != self.value:
            self.value = value
            self.post_message(self.Chosen(value))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        places = self._places(self.size.width)
        if offset is None:
            return
        if places is None:
            self.action_move(-1 if offset.x < 2 else 1)
            return
        for (value, word), place in zip(self.options, places, strict=True):
            if offset.y == place.y and place.x <= offset.x < place.x + cell_len(word) + 2:
                self._choose(value)

    def _places(self, width: int) -> list[Offset] | None:
        """Where each option starts, in as few rows as can be; None where there are too many."""
        laid_out = [self._laid_out(width, gap) for gap in (2, 1)]
        fitting = [places for places in laid_out if places and places[-1].y < self.rows]
        return min(fitting, key=lambda places: places[-1].y, default=None)

    def _laid_out(self, width: int, gap: int) -> list[Offset]:
        """The options side by side with a gap; empty where one is wider than a row."""
        places: list[Offset] = []
        x = y = 0
        for _, word in self.options:
            long = cell_len(word) + 2
            if long > width:
                return []
            if x and x + long > width:
                x, y = 0, y + 1
            places.append(Offset(x, y))
            x += long + gap
        return places

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        places = self._places(width)
        return places[-1].y + 1 if places else 1

    def render(self) -> RenderResult:
        places = self._places(self.size.width)
        if self.is_disabled:
            quiet = bright = faint(self)
        else:
            quiet = muted(self)
            bright = "$text-accent bold" if self.has_focus else "$foreground bold"
        if places is None:
            word = next((word for value, word in self.options if value == self.value), "")
            arrow = "$text-accent" if self.has_focus and not self.is_disabled else quiet
            gap = " " if cell_len(word) + 4 <= self.size.width else ""
            return Content.assemble((f"‹{gap}", arrow), (word or "–", bright), (f"{gap}›", arrow))
        lines: list[Content] = [Content("")] * (places[-1].y + 1 if places else 1)
        for (value, word), place in zip(self.options, places, strict=True):
            line = lines[place.y].pad_right(place.x - lines[place.y].cell_length)
            chosen = value == self.value
            lines[place.y] = Content.assemble(
                line, ("● " if chosen else "○ ", bright if chosen else quiet),
                (word, bright if chosen else quiet),
            )  # fmt: skip
        return Content("\n").join(lines)


# The field.


class Field(Widget):
    """A label, a control and, where there is a problem, a sentence below.

    key : the dotted key that it edits. optional : empty text removes the key. options : for a
    choice, values with their words. like : the key whose range and steps it has, if not its own.
    """

    DEFAULT_CSS = """
    Field {
        layout: vertical;
        height: auto;
        width: 1fr;
        color: $text-muted;
        & ValueInput {
            width: 1fr;
            background: transparent;
            color: $foreground;
            &:focus { background: $boost; background-tint: $foreground 0%; }
            &:disabled { color: $text-disabled; }
        }
        & > ValueInput, & > Choice { margin: 0 0 0 24; }
        &.-bare > Choice, &.-bare > ValueInput { margin: 0 0 0 2; }
        &.-below > ValueInput { margin: 1 0 0 2; }
        &.-follows > ValueInput { color: $text-muted; }
        &.-invalid > ValueInput { color: $text-error; text-style: underline; }
        & > .problem {
            color: $text-error;
            padding: 0 0 0 2;
            width: 1fr;
            height: auto;
        }
        &:ansi { text-style: dim; }
        &:ansi ValueInput { text-style: none; }
        &:ansi ValueInput > .input--cursor { text-style: reverse; }
        &:ansi ValueInput > .input--placeholder { text-style: dim italic; }
        &:ansi.-invalid { text-style: bold; }
        &:ansi > .problem { text-style: bold; }
    }
    """

    focused: reactive[bool] = reactive(False)
    swept: reactive[bool] = reactive(False)
    follows: reactive[bool] = reactive(False)
    """Whether the value follows from others, until it is edited."""

    def __init__(
        self,
        key: str,
        label: str,
        type_: Type = "text",
        *,
        options: Sequence[tuple[Any, str]] | None = None,
        rows: int = 1,
        optional: bool = False,
        grouped: bool = True,
        like: str = "",
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.key, self.label, self.type_ = key, label, type_
        self.optional, self.grouped = optional, grouped
        self.like = like or key
        self.steps = steps_of(self.like, type_)
        self.bounds: Range | None = None  # its own; else those of the key it is like
        self.offered: tuple[str, ...] = ()
        self._value: Any = None  # what was shown last
        self._sent: list[Any] = []  # what was posted and has not come back yet
        self._problem = ""
        self.control: ValueInput | Choice
        if options is None:
            self.control = ValueInput(compact=True, select_on_focus=False)
            self.control.cursor_blink = False
        else:
            self.control = Choice(options, rows=rows)
        self.set_class(not label, "-bare")

    def compose(self) -> ComposeResult:
        yield self.control

    def render(self) -> RenderResult:
        if self.is_disabled:
            mark, style = "  ", faint(self)
        elif self._problem:
            mark, style = "✗ ", "$text-error"
        elif self.focused:
            mark, style = "› ", "$text-accent"
        else:
            mark, style = ("↔ " if self.swept else "= " if self.follows else "  "), ""
        return Content.assemble((mark, style), (self.label, style)).truncate(
            max(1, self.size.width), ellipsis=True
        )

    # Downwards.

    def show(self, value: Any, problem: str = "") -> None:
        """Show a value and its problem. What is being typed here is left as it is typed."""
        self._say(problem)
        if _same(value, self._value) and not (self._sent and not self.control.has_focus):
            return
        self._value = value
        if None in self._sent and self.control.has_focus:  # emptied: a default must not pop up
            del self._sent[: self._sent.index(None) + 1]
            return
        for at, sent in enumerate(self._sent):
            if _same(sent, value):  # the echo of what was typed
                del self._sent[: at + 1]
                return
        self._sent.clear()
        self._rewrite(value)

    def move_to(self, key: str) -> None:
        """Edit another key from now on: what was typed for the one before is not the new one's."""
        if key != self.key:
            self.key = key
            self._sent.clear()
            self._value = _NOTHING

    def _rewrite(self, value: Any) -> None:
        if isinstance(self.control, Choice):
            self.control.value = value
            return
        text = write(value, grouped=self.grouped)
        if text != self.control.value:
            with self.control.prevent(Input.Changed):
                self.control.value = text
                self.control.cursor_position = len(text)
        self._fit()

    def _say(self, problem: str) -> None:
        """The sentence below the control; mounted when there is something to say first."""
        if problem == self._problem:
            return
        self._problem = problem
        self.set_class(bool(problem), "-invalid")
        line = next(iter(self.query_children(".problem").results(Static)), None)
        if line is None:
            line = Static(classes="problem", markup=False)
            self.mount(line)
        line.update(problem)
        line.display = bool(problem)
        self.refresh()

    def rename(self, label: str) -> None:
        """Show another label."""
        if label != self.label:
            self.label = label
            self.refresh()

    def follow(self, like: str) -> None:
        """Take the range and the steps of another key."""
        if like != self.like:
            self.like = like
            self.steps = steps_of(like, self.type_)

    def choose_from(self, options: Sequence[tuple[Any, str]]) -> None:
        """Change what a choice offers."""
        if isinstance(self.control, Choice) and tuple(options) != self.control.options:
            self.control.options = tuple(options)

    def offer(self, words: Sequence[str]) -> None:
        """Words that a text field completes, and that up and down walk through."""
        if tuple(words) != self.offered and isinstance(self.control, ValueInput):
            self.offered = tuple(words)
            self.control.suggester = SuggestFromList(words, case_sensitive=False) if words else None

    def watch_swept(self) -> None:
        self.refresh()

    def watch_follows(self) -> None:
        self.set_class(self.follows, "-follows")
        self.refresh()

    def on_mount(self) -> None:
        fitted(self, self._fit)

    def _fit(self) -> None:
        """Long text gets a row of its own below the label, so that it is not cut."""
        if isinstance(self.control, ValueInput) and self.label and self.size.width:
            room = self.size.width - LABEL_WIDTH
            self.set_class(cell_len(self.control.value) + 1 > room, "-below")

    # Upwards.

    def _post(self, value: Any) -> None:
        last = self._sent[-1] if self._sent else self._value
        if not _same(value, last):
            self._sent.append(value)
            self.post_message(KeyEdited(self.key, value))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fit()
        empty = self.optional and not event.value.strip()
        self._post(None if empty else read(event.value, self.type_))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.focus_next()

    def on_choice_chosen(self, event: Choice.Chosen) -> None:
        event.stop()
        self._post(event.value)

    def on_value_input_nudged(self, event: ValueInput.Nudged) -> None:
        event.stop()
        control = self.control
        assert isinstance(control, ValueInput)
        if self.type_ in ("integer", "number"):
            text = self._nudged(event.up, event.big)
        elif self.offered:
            words = list(self.offered)
            at = words.index(control.value) if control.value in words else -1
            text = (
                words[(at + (1 if event.up is False else -1)) % len(words)] if at >= 0 else words[0]
            )
        else:
            return
        if text is not None and text != control.value:
            control.value = text
            control.cursor_position = len(text)

    def _nudged(self, up: bool, big: bool) -> str | None:
        """The text of the next number up or down that is allowed; None where there is none."""
        from ..draft import allowed

        assert isinstance(self.control, ValueInput)
        value = read(self.control.value, self.type_)
        bounds = self.bounds or allowed(self.like)
        if isinstance(value, str):
            value = self._value
        if not isinstance(value, int | float):
            value = bounds.low if bounds is not None and math.isfinite(bounds.low) else 0
        number = nudged(value, up, big, self.steps)
        if bounds is not None and number not in bounds:
            end = bounds.high if number > value else bounds.low
            if end not in bounds or not math.isfinite(end):
                return None
            number = int(end) if self.type_ == "integer" else end
        return write(number, grouped=self.grouped)

    def on_descendant_focus(self) -> None:
        self.focused = True
        self.post_message(FieldFocused(self.key))

    def on_descendant_blur(self) -> None:
        self.focused = False
        if isinstance(self.control, ValueInput) and not self._problem:
            value = read(self.control.value, self.type_)
            if self.optional and not self.control.value.strip():
                self._rewrite(self._value)
            elif self.type_ in ("integer", "number") and not isinstance(value, str):
                self._rewrite(value)


_NOTHING: Final = object()
"""No value, not even None: whatever is shown next is new."""


def _same(one: Any, other: Any) -> bool:
    """Equal and of one type, lists item by item: 1 and 1.0 and True differ in a file."""
    return type(one) is type(other) and bool(one == other)
