"""The scenario as TOML in an editor, and the list of what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, Self

from rich.containers import Lines
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import TextArea
from textual.widgets.option_list import Option

from ...messages import FieldFocused, Noted, TextEdited
from ...terminal.keyboard import ALT_DIGITS
from ...widgets.field import act_at_once, leave
from ...widgets.option_list import OptionList
from .completion_list import CompletionList

if TYPE_CHECKING:
    from ...session.draft import Problem

_TOKEN: Final = re.compile(
    r"""(?P<comment>\#.*)
      | (?P<table>^\s*\[[^\]]*\]+)
      | (?P<key>^\s*(?:["'][^"']*["']|[\w.-]+)(?=\s*=)|(?<![\w-])[\w-]+(?=\s*=))
      | (?P<string>"(?:\\.|[^"\\])*"?|'[^']*'?)
      | (?P<number>(?<![\w.])[+-]?\d[\d_.]*(?:[eE][+-]?\d+)?|\b(?:true|false)\b)""",
    re.VERBOSE,
)
"""The parts of a line of TOML that are worth a colour."""
_OPENING: Final = re.compile(r"""=\s*(\"{3}|'{3})""")
LONGEST_PASTE: Final = 100_000
"""The characters of a paste, at most: each key takes time in proportion to the script."""


@lru_cache(maxsize=256)
def _tokens(line: str) -> tuple[tuple[str, int, int], ...]:
    """The tokens of a line: the name of each, and where it begins and ends."""
    return tuple((str(token.lastgroup), *token.span()) for token in _TOKEN.finditer(line))


class ScriptLine(Text):
    """A line of the script that cuts out one row of the editor, and leaves the others empty.

    TextArea cuts a line into all its rows to draw one of them: 25 s for 20,000 characters.
    """

    row = 0

    def divide(self, offsets: Iterable[int]) -> Lines:
        cuts = list(offsets)
        start, end = [0, *cuts, len(self)][self.row : self.row + 2]
        rows = [Text()] * (len(cuts) + 1)
        rows[0] = Text("\t" * self.plain.count("\t", 0, start))  # the tabs before are counted
        rows[self.row] = super().divide([start, end])[1]
        return Lines(rows)


class ScriptEditor(TextArea):
    """A plain editor: esc leaves it, tab moves on, only what is typed by hand is posted."""

    DEFAULT_CSS = """
    ScriptEditor {
        background: transparent;
        padding: 0;
        border: none;
        scrollbar-size-vertical: 1;
        scrollbar-color: $foreground 25%;
        scrollbar-background: $background;
        &:focus { border: none; }
        & > .script--comment { color: $foreground 50%; }
        & > .script--table { color: $text-accent; text-style: bold; }
        & > .script--key { color: $foreground; }
        & > .script--string { color: $text-primary; }
        & > .script--number { color: $text-primary; }
        & > .script--wrong { color: $text-error; text-style: underline; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "script--comment",
        "script--table",
        "script--key",
        "script--string",
        "script--number",
        "script--wrong",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave the editor", show=False, id="script.leave"),
        # Input methods and multiplexers take ctrl+space.
        Binding(
            "ctrl+@,ctrl+space,ctrl+n",
            "offer",
            "What may stand here",
            show=False,
            id="script.offer",
        ),
    ]

    _rows: tuple[Strip, ...] = ()  # as they were painted last
    _comparing: bool = False
    _row: int = 0  # the row of its line that is drawn

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        if key in ALT_DIGITS:
            return False
        return key == "enter" or super().check_consume_key(key, character)

    def __init__(self, offers: CompletionList) -> None:
        self.offers = offers
        super().__init__(compact=True, show_line_numbers=True, soft_wrap=True, tab_behavior="focus")
        self.cursor_blink = False
        self.highlight_cursor_line = False  # it would cover the colours of the line
        self._prose: frozenset[int] = frozenset()  # rows inside strings of several lines
        self._shown = ""
        self._sent: list[str] = []  # what was posted and has not come back yet
        self._wrong: frozenset[int] = frozenset()
        self._typed = 0  # characters before the cursor that an offer takes the place of

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Repaint only the rows that differ: TextArea asks for all of them with every key."""
        if regions or layout or recompose or not repaint or not self._rows:
            return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        if not self._comparing:
            self._comparing = True
            self.call_next(self._refresh_rows)
        return self

    def _refresh_rows(self) -> None:
        self._comparing = False
        width, height = self.size
        before = self._rows
        rows = tuple(self.render_line(y) for y in range(height))
        self._rows = rows
        if len(before) != height:
            super().refresh()
            return
        changed = [y for y in range(height) if rows[y] != before[y]]
        if changed:
            super().refresh(*(Region(0, y, width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        """A row with neighbours of one style joined: TextArea styles cell by cell."""
        return super().render_line(y).simplify()

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if not self._comparing:
            self._rows = tuple(self.render_line(y) for y in range(self.size.height))
        return strips

    def show(self, text: str) -> None:
        """Follow the draft. Its own text coming back changes nothing; the cursor stays."""
        if text == self._shown:
            return
        self._shown = text
        if text in self._sent:
            del self._sent[: self._sent.index(text) + 1]
            return
        self._sent.clear()
        if text != self.text:
            with self.prevent(TextArea.Changed):
                self._follow(text)
            self._find_prose()

    def _follow(self, text: str) -> None:
        """Replace only the part that differs, unless it is another text altogether."""
        old = self.text
        shorter = min(len(old), len(text))
        head = next((at for at in range(shorter) if old[at] != text[at]), shorter)
        rest = shorter - head
        tail = next((at for at in range(rest) if old[-1 - at] != text[-1 - at]), rest)
        if head + tail < len(text) // 2:
            self.load_text(text)
            self._go_to_attack()
            return
        document = self.document
        start = document.get_location_from_index(head)  # type: ignore[attr-defined]
        end = document.get_location_from_index(len(old) - tail)  # type: ignore[attr-defined]
        self.replace(text[head : len(text) - tail], start, end)

    def _go_to_attack(self) -> None:
        """Another text opens at its attack, which this pane is about, not at its remarks."""
        lines = self.document.lines
        row = next((at for at, line in enumerate(lines) if line.startswith("[attack]")), 0)
        self.move_cursor((row, 0), center=True)

    def mark(self, lines: frozenset[int]) -> None:
        """Mark lines (from 1) as wrong; the first comes into view while one types elsewhere."""
        if lines != self._wrong:
            self._wrong = lines
            if lines and not self.has_focus:
                row = min(*lines, self.document.line_count) - 1
                y = self.wrapped_document.location_to_offset((row, 0)).y
                self.scroll_to(y=y - self.size.height // 2, animate=False)
            self.notify_style_update()
            self.refresh()

    def go_to(self, line: int) -> None:
        """Put the cursor and the focus into a line (from 1)."""
        self.move_cursor((min(line, self.document.line_count) - 1, 0), center=True)
        self.focus()

    def _render_line(self, y: int) -> Strip:
        rows = self.wrapped_document._offset_to_line_info
        self._row = rows[min(self.scroll_offset.y + y, len(rows) - 1)][1]
        return super()._render_line(y)

    def get_line(self, line_index: int) -> Text:
        line = ScriptLine(self.document.get_line(line_index), end="", no_wrap=True)
        line.row = self._row
        if line_index + 1 in self._wrong:
            line.stylize(self._ink("wrong"))
            return line
        if line_index in self._prose:
            line.stylize(self._ink("string"))
            return line
        cuts = [0, *self.wrapped_document.get_offsets(line_index), len(line)]
        start, end = cuts[line.row], cuts[line.row + 1]
        for name, *span in _tokens(line.plain):
            if span[0] < end and span[1] > start:
                line.stylize(self._ink(name), *span)
        return line

    def _ink(self, name: str) -> Style:
        """The colour and weight of a kind of token, without a background of its own."""
        style = self.get_component_rich_style(f"script--{name}")
        return Style(color=style.color, bold=style.bold, underline=style.underline)

    def _find_prose(self) -> None:
        """Find the rows that go on with a string of several lines, its last one included."""
        rows: set[int] = set()
        closing = ""
        for row in range(self.document.line_count):
            line = self.document.get_line(row)
            if closing:
                rows.add(row)
                closing = "" if closing in line else closing
            elif opening := _OPENING.search(line.partition("#")[0]):
                closing = opening[1] if line.count(opening[1]) == 1 else ""
        if rows != self._prose:
            self._prose = frozenset(rows)
            self.notify_style_update()
            self.refresh()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._find_prose()
        text = self.text
        if text != (self._sent[-1] if self._sent else self._shown):
            self._sent.append(text)
            self.post_message(TextEdited(text))
            if self.has_focus:
                self._offer()

    async def on_key(self, event: events.Key) -> None:
        await act_at_once(self, event)

    def on_focus(self) -> None:
        self.scroll_cursor_visible(center=True)  # it could not scroll while it was hidden
        self.post_message(FieldFocused("script"))

    def action_leave(self) -> None:
        leave(self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """The cursor is left, and offered something, where it is."""
        return action not in ("leave", "offer") or self.screen.focused is self

    # Completion.

    def action_offer(self) -> None:
        """Offer what may stand at the cursor."""
        self._offer(asked=True)

    def _offer(self, *, asked: bool = False) -> None:
        from ...session.draft.completion import completion

        at = self.document.get_index_from_location(self.cursor_location)  # type: ignore[attr-defined]
        offered = completion(self.text, at)
        self._typed = len(offered.typed)
        wanted = offered.offers if offered.typed or asked else ()
        self.offers.show(wanted, self.cursor_screen_offset - Offset(self._typed, -1))

    def on_paste(self, event: events.Paste) -> None:
        if len(event.text) > LONGEST_PASTE:
            event.prevent_default()
            rule = f"must be at most {LONGEST_PASTE:,} characters, got {len(event.text):,}"
            self.post_message(Noted(f"A paste {rule}: save it as a file and open that"))

    async def _on_key(self, event: events.Key) -> None:
        if self.offers.display and self._steer(event.key):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    def _steer(self, key: str) -> bool:
        """Let a key move in the list, take from it or close it; False where it does none of it."""
        offer = self.offers.chosen
        match key:
            case "down":
                self.offers.action_cursor_down()
            case "up":
                self.offers.action_cursor_up()
            case "tab" | "enter" if offer is not None:
                row, column = self.cursor_location
                self.offers.display = False
                self.replace(offer.text, (row, column - self._typed), (row, column))
            case "escape":
                self.offers.display = False
            case _:
                return False
        return True

    def on_blur(self) -> None:
        self.offers.display = False

    def watch_selection(self) -> None:
        """Moving away closes the list; typing opens it again."""
        self.offers.display = False


class ProblemList(OptionList):
    """The problems of the script, by line; enter or a click goes to the line."""

    DEFAULT_CSS = """
    ProblemList {
        display: none;
        height: auto;
        max-height: 6;
        padding: 0;
        border: none;
        background: transparent;
        color: $text-error;
        scrollbar-size-vertical: 1;
        &.-any { display: block; }
        &:focus { border: none; }
        & > .option-list--option { color: $text-error; padding: 0; }
        & > .option-list--option-highlighted { color: $text-error; background: transparent; }
        &:focus > .option-list--option-highlighted {
            color: $text-error; background: $boost; text-style: bold;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave the list", show=False, id="problems.leave"),
        Binding("j", "cursor_down", "Down", show=False, id="problems.down"),
        Binding("k", "cursor_up", "Up", show=False, id="problems.up"),
    ]

    def __init__(self) -> None:
        super().__init__(compact=True, markup=False)
        self.problems: tuple[Problem, ...] = ()
        self._timer: Timer | None = None

    def show(self, problems: Sequence[Problem], patience: float) -> None:
        """Show the problems: at once, or after some seconds without a new one."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if tuple(problems) == self.problems:
            return
        if patience and problems:
            self._timer = self.set_timer(patience, lambda: self.show(problems, 0))
            return
        self.problems = tuple(problems)
        self.clear_options()
        self.add_options(Option(sentence(problem)) for problem in problems)
        self.set_class(bool(problems), "-any")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return bool(self.problems)

    @property
    def marked(self) -> Problem | None:
        """The problem under the cursor of the list."""
        return None if self.highlighted is None else self.problems[self.highlighted]

    def action_leave(self) -> None:
        leave(self)


def sentence(problem: Problem) -> str:
    """`✗ line 14: attack.share must be in [0, 1), got 1.5`."""
    place = f"line {problem.line}: " if problem.line is not None else ""
    return f"✗ {place}{problem.key} {problem.message}".replace("  ", " ")
