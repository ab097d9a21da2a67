"""Pane 1: the protocols, why to pick each, the one that fits, and what the choice means."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import var
from textual.widget import Widget

from ...catalogue import in_families, kind_words, listed_kinds
from ...messages import FieldFocused, KeyEdited
from ...text.format import MISSING, decimals, fixed, short
from ...widgets.field import muted

if TYPE_CHECKING:
    from core.cell import Cell
    from core.protocols import BitNoise

    from ...session.draft import Draft

CURATORS: Final = in_families()["curators"]
"""No local protocols, but to stand beside them; they share one row where there is no room."""

KINDS: Final = tuple(kind for kind in listed_kinds("protocol") if kind not in CURATORS)

ALL: Final = (*KINDS, *CURATORS)
NAME: Final = max(map(len, KINDS)) + 1
"""Cells for the name of a protocol and the gap after it."""
WIDEST: Final = max(map(len, CURATORS)) + 1
"""The same for the trusted curators, whose rows have no star."""
TEXT: Final = 2 + WIDEST
"""Where the reason to pick it starts at the latest: after the mark, the name and the star."""


@dataclass(frozen=True)
class Facts:
    """What the pane says of the protocols at the scenario's d, n and ε.

    spreads : σ of one estimated frequency, for each of KINDS; for RAPPOR ε is ε₁ of one report.
    central : the same, for each of CURATORS.
    """

    recommended: tuple[str, ...]
    why: str
    numbers: str
    spreads: tuple[str, ...]
    central: tuple[str, ...]


class ProtocolPane(Widget, can_focus=True):
    """A list in which moving is choosing: the charts follow."""

    BORDER_TITLE = "1 Protocol"
    DEFAULT_CSS = """
    ProtocolPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        padding: 0 1;
        height: 1fr;
        overflow: hidden;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="protocol.next"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="protocol.previous"),
        Binding("home", "move(-9)", "First", show=False, id="protocol.first"),
        Binding("end", "move(9)", "Last", show=False, id="protocol.last"),
    ]

    draft: var[Draft | None] = var(None, always_update=True)  # what changed redraws itself

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._kind = ""
        self._swept: frozenset[str] = frozenset()
        self._facts: Facts | None = None
        self._blocked = ""

    def focus_first(self) -> None:
        self.screen.set_focus(self)

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None:
            return
        from ...session.draft import kind_of, sweep_of

        before = self._kind, self._swept, self._facts, self._blocked
        self._kind = kind_of(draft, "protocol")
        swept = sweep_of(draft).get("protocol.kind")
        self._swept = frozenset(one for one in swept or () if isinstance(one, str))
        self._facts = _facts(draft)
        problem = draft.problem("protocol.kind")
        if not draft.parses:
            self._blocked = f"the script has an error in line {draft.problems[0].line}: 3, then s"
        else:
            self._blocked = problem.message if problem is not None else ""
        if before != (self._kind, self._swept, self._facts, self._blocked):
            self.refresh()

    def on_focus(self) -> None:
        self.post_message(FieldFocused("protocol.kind"))

    # Choosing.

    def action_move(self, by: int) -> None:
        at = ALL.index(self._kind) + by if self._kind in ALL else 0
        self._choose(ALL[min(max(at, 0), len(ALL) - 1)])

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not 0 <= offset.y < len(ALL):
            return
        if offset.y < len(KINDS):
            self._choose(KINDS[offset.y])
        elif self._roomy(self.size.width, self.size.height):
            self._choose(ALL[offset.y])
        elif offset.y == len(KINDS):
            ends = accumulate(len(kind) + 4 for kind in CURATORS)
            hit = [kind for kind, end in zip(CURATORS, ends, strict=True) if offset.x < end]
            self._choose(hit[0] if hit else self._kind)

    def _choose(self, kind: str) -> None:
        if self.draft is not None and self.draft.parses and kind != self._kind:
            self._kind = kind
            self.refresh()
            self.post_message(KeyEdited("protocol.kind", kind))

    # The picture.

    def render(self) -> RenderResult:
        width, height = self.size
        facts, words = self._fact_lines(width), self._word_lines(width)
        roomy = self._roomy(width, height)
        rows = [*self._rows(width, roomy), *self._curators(width, roomy)]
        facts = facts[: max(0, height - len(rows))]
        # The reason goes below the list where there is room for it, then a blank line, then prose.
        reason, prose = words
        lines = [*rows, *facts]
        if len(lines) + len(reason) <= height:
            lines = [*rows, *reason, *facts]
        if facts and len(lines) < height:
            lines.insert(len(lines) - len(facts), Content(""))
        if prose and len(lines) + 1 + len(prose) <= height:
            lines += [Content(""), *prose]
        return Content("\n").join(lines)

    def _rows(self, width: int, roomy: bool) -> list[Content]:
        """One row for each protocol: mark, name, star, why to pick it, its σ.

        `roomy`: the curators' rows follow, and their names are longer.
        """
        name = WIDEST - 2 if roomy else NAME
        facts = self._facts
        spreads = facts.spreads if facts is not None and facts.spreads else ("",) * len(KINDS)
        texts = [kind_words("protocol", kind).brief for kind in KINDS]
        if self._reasons_fit(width):
            texts = [kind_words("protocol", kind).reason for kind in KINDS]
        right = self._right if max(map(cell_len, texts)) + self._right <= width - name - 4 else 0
        rows = []
        for kind, text, spread in zip(KINDS, texts, spreads, strict=True):
            chosen = kind == self._kind
            bright = "$text-accent bold" if self.has_focus else "$foreground bold"
            mark = "● " if chosen else "↔ " if kind in self._swept else "○ "
            star = facts is not None and kind in facts.recommended
            row = Content.assemble(
                (mark, bright if chosen else muted(self)),
                (kind.upper().ljust(name), bright if chosen else "$foreground"),
                ("★ " if star else "  ", "$text-success"),
                (text, "$foreground" if chosen else muted(self)),
            )
            if right:
                gap = width - row.cell_length - cell_len(spread)
                row += Content(" " * max(1, gap))
                row += Content.styled(spread, "$foreground" if chosen else muted(self))
            rows.append(row)
        return rows

    def _roomy(self, width: int, height: int) -> bool:
        """Whether each curator has a row, and what is below them still fits."""
        facts = self._fact_lines(width)
        return len(ALL) + len(facts) + len(self._word_lines(width)[0]) <= height

    def _curators(self, width: int, roomy: bool) -> list[Content]:
        """The trusted curators: a row each, with its reason, or one row for all."""
        rows = []
        spreads = self._facts.central if self._facts is not None else ("",) * len(CURATORS)
        for kind, spread in zip(CURATORS, spreads, strict=True):
            chosen = kind == self._kind
            bright = "$text-accent bold" if self.has_focus else "$foreground bold"
            mark = "● " if chosen else "↔ " if kind in self._swept else "○ "
            words = kind_words("protocol", kind)
            text = words.reason if self._reasons_fit(width) else words.brief
            row = Content.assemble(
                (mark, bright if chosen else muted(self)),
                (kind.upper(), bright if chosen else "$foreground"),
            )
            if roomy:
                style = "$foreground" if chosen else muted(self)
                row += Content.styled(" " * (WIDEST - len(kind)) + text, style)
                gap = width - row.cell_length - cell_len(spread)
                if gap > 0 and self._right:
                    row += Content(" " * gap) + Content.styled(spread, style)
            rows.append(row)
        return rows if roomy else [Content("  ").join(rows)]

    def _fact_lines(self, width: int) -> list[Content]:
        """Which protocol fits and why, and what the chosen one's probabilities are."""
        if self._blocked:
            return _wrapped(f"✗ {self._blocked}", width, "$text-error")
        numbers = [] if self._facts is None else _wrapped(self._facts.numbers, width, muted(self))
        if self._kind and self._kind not in ALL:
            return _wrapped(f"● {self._kind.upper()}, set in the script", width, "$foreground bold")
        if self._facts is None:
            return []
        star = Content.assemble(("★ ", "$text-success"), (self._facts.why, muted(self)))
        return [star, *numbers]

    def _word_lines(self, width: int) -> tuple[list[Content], list[Content]]:
        """Why to pick the chosen protocol, unless its row says so, and what it does."""
        kind = kind_words("protocol", self._kind)
        if not kind.text or self._facts is None:
            return [], []
        reason = [] if self._reasons_fit(width) else _wrapped(kind.reason, width, muted(self))
        return reason, _wrapped(f"{_full_name(kind.name)}: {kind.text}", width, muted(self))

    def _reasons_fit(self, width: int) -> bool:
        reasons = [kind_words("protocol", kind).reason for kind in ALL]
        return max(map(cell_len, reasons)) <= width - TEXT

    @property
    def _right(self) -> int:
        """Cells for the column of σ, its gap included."""
        spreads = self._facts.spreads if self._facts is not None else ()
        return max(map(cell_len, spreads)) + 1 if spreads else 0


def _full_name(name: str) -> str:
    """`OUE (optimised unary encoding)` without its short name."""
    full = name.partition("(")[2].rstrip(")") or name
    return full[0].upper() + full[1:] if full[1:2].islower() else full


def _wrapped(text: str, width: int, style: str) -> list[Content]:
    """Lines of words; a number stays with what it is the value of."""
    held = text.replace(" = ", "\xa0=\xa0")
    lines = textwrap.wrap(held, max(20, width))
    return [Content.styled(line.replace("\xa0", " "), style) for line in lines]


def _facts(draft: Draft) -> Facts | None:
    """The numbers of the last valid scenario's base; None before there was one."""
    from core.theory import recommended

    cell = draft.cell
    if cell is None or cell.parameters["protocol.kind"] not in ALL:
        return None
    cell = cell.first  # σ is of one round
    if cell.noise is not None:
        epsilon = cell.noise.epsilon_one(cell.hashes)
    elif isinstance(given := cell.parameters.get("protocol.epsilon"), int | float):
        epsilon = float(given)
    else:
        return None
    d = cell.population.domain_size
    best = recommended(d, epsilon)
    sign = "<" if best == "grr" else "≥"
    spreads = [_spread(cell, kind, epsilon) for kind in KINDS]
    places = decimals(spreads)
    written = [MISSING if one is None else f"±{fixed(one, places)}" for one in spreads]
    if places > 6 or max(map(len, written)) > 8:
        written = [MISSING if one is None else f"±{short(one, 2)}" for one in spreads]
    power = "e^ε₁" if cell.noise is not None else "e^ε"
    central = [_spread(cell, kind, epsilon) for kind in CURATORS]
    return Facts(
        recommended=("grr",) if best == "grr" else ("oue", "olh"),
        why=f"d = {d} {sign} 3{power} + 2 = {short(3 * math.exp(epsilon) + 2, 3)} → "
        + ("GRR" if best == "grr" else "OUE/OLH"),
        numbers=_numbers(cell),
        spreads=tuple(written),
        central=tuple(MISSING if one is None else f"±{short(one, 2)}" for one in central),
    )


def _spread(cell: Cell, kind: str, epsilon: float) -> float | None:
    """σ of one frequency under a protocol at this ε; None where the protocol cannot have it."""
    from core.errors import ScenarioError
    from core.lab.locality import central_mse
    from core.protocols import KINDS as SPECS
    from core.protocols import Rappor
    from core.protocols.curators import Curator
    from core.theory import count_std, frequency_std

    protocol: Any = cell.protocol
    if kind != cell.parameters["protocol.kind"]:
        try:
            spec: Any = SPECS[kind]
            protocol = spec(kind=kind, epsilon=epsilon).bind(cell.population.domain_size)
        except (ScenarioError, OverflowError):
            return None  # e^ε + 1 is no usable hash range here, or f would be below 0
    if isinstance(protocol, Curator):
        return math.sqrt(central_mse(protocol, *cell.population.distinct))
    if isinstance(protocol, Rappor):
        return count_std(protocol.noise, protocol.hashes, cell.users) / cell.users
    return frequency_std(protocol, cell.users)


def _numbers(cell: Cell) -> str:
    """The probabilities of the chosen protocol, and σ of one frequency."""
    from core.theory import frequency_std

    if cell.noise is not None:
        return _rappor(cell, cell.noise)
    if not cell.is_pure:
        return _curator(cell)
    protocol = cell.pure
    numbers = [f"p = {short(protocol.p)}", f"q = {short(protocol.q)}"]
    if cell.hash_range is not None:
        numbers.append(f"g = {cell.hash_range}")
    numbers.append(f"σ = {short(frequency_std(protocol, cell.users), 3)}")
    return "  ".join(numbers)


def _curator(cell: Cell) -> str:
    """How much noise a trusted curator adds, and √MSE of one frequency."""
    curator: Any = cell.protocol
    numbers = [f"noise scale s = {short(curator.scale, 3)}"]
    if curator.delta:
        numbers.append(f"threshold {short(curator.threshold, 3)}")
    spread = _spread(cell, str(cell.parameters["protocol.kind"]), curator.epsilon)
    return "  ".join([*numbers, f"σ = {short(spread, 3)}"])


def _rappor(cell: Cell, noise: BitNoise) -> str:
    """Its form, what it gives away, and its chances, which stand the other way round to Wang's."""
    bounded = short(noise.epsilon_infinity(cell.hashes), 3) if noise.memoised else "unbounded"
    numbers = [
        str(cell.parameters["protocol.form"]),
        f"ε₁ = {short(noise.epsilon_one(cell.hashes), 3)}",
        f"ε∞ = {bounded}" if noise.memoised else f"ε∞ {bounded}",
        f"p* = {short(noise.p_star)}",
        f"q* = {short(noise.q_star)}",
        "reverse of Wang's p, q",
    ]
    return "  ".join(numbers)
