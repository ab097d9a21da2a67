"""The explanation of one report, step by step: of a genuine user, and of a fake one.

Every step shows what really happened to one report that the protocol or the attack made: the code
that draws is theirs, and what stands between is read off the report, or drawn again from the same
stream. One explanation serves all families and all laws of fake reports: what the report encodes,
what noise did, what it supports, what is expected, and its weight. A family adds how an item is
encoded, and how a report reads.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ldptui.core.attacks import Strategy, View
from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.pure import BoolArray, Items, PureProtocol, Reports, Rng, Supports
from ldptui.core.population.targets import RandomSet
from ldptui.core.theory import fake_support

from ..text import format as fmt
from .report_values import MemberGroup, Meter, ReportHistory, ReportStep, StepBits, StepOutcome

Bits: TypeAlias = tuple[str, BoolArray]
"""A name, and one bit for each item or for each bit of a filter."""

Noise: TypeAlias = tuple[str, str, tuple[str, str], tuple[float, float]]
"""A name, a sentence, and the letters and the values of the chances that a 1, and a 0, is sent as
1; without a sentence, whether the own item is supported."""

LAWS: Final[dict[str, str]] = {
    "random": "at random, for no item",
    "crafted": "the most targets it can",
    "subset": "a few of the targets alone",
    "disguised": "as many ones as honest reports have",
    "avoided": "as few targets as one report can",
    "solved": "targets as a linear programme says",
    "hidden": "together they look like honest ones",
    "widest": "anything at the end of the range",
    "pointed": "the same number from every fake",
    "steered": "so that the mean becomes theirs",
}
"""How a fake's report that is of no item is made, by the law of the attack's reports."""

NO_NOISE: Final = ReportStep("Perturbation", "none, sent as it is")

KEPT_BACK: Final = ReportStep(
    "Drop-out",
    "it supports the item, and is sent",
    detail=("one that does not is kept back, and nobody hears of it",),
)
"""The step of a fake who sends a report only if it supports the item that it chose."""

SEARCH_WORK: Final = 2_000_000
"""Hashes of one fake's seed search, some 20 ms: a longer search is shown with fewer seeds."""


class ReportExplanation:
    """The explanation of a report, step by step, from the item to the server's estimate."""

    laws = LAWS
    """The sentence of each law."""

    shows_bits = False
    """Whether the report is drawn bit by bit where there is room."""

    adds_up = False
    """Whether a report is added to the targets' total as it is, with p = 1 and q = 0."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        """The sentence and the details of the step that encodes an item."""
        return ("the item itself",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        """The sentence and the details of the sent report."""
        raise NotImplementedError

    def server_numbers(self, cell: Cell, report: Reports) -> tuple[str, Counts] | None:
        """A number for every item that the server reads off a report, by name; None if none."""
        return None

    def support(self, cell: Cell, report: Reports) -> Supports | None:
        """int64[d], 1 if the report supports an item, -1 if it counts against it, else 0; None if
        no item is supported.
        """
        protocol: Any = cell.protocol
        if isinstance(protocol, PureProtocol):
            return np.asarray(protocol.supports(report)[0])
        return np.asarray(protocol.look(report, np.arange(protocol.domain_size))[0])

    def weigh(self, cell: Cell, report: Reports) -> tuple[float, str]:
        """The users by which a report changes the targets' count, and the formula as text."""
        protocol: Any = cell.protocol
        p, q, r = protocol.p, protocol.q, cell.targets.size
        net = int(cast("Supports", self.support(cell, report))[cell.targets].sum())
        weight = float((net - r * q) / (p - q))
        return weight, f"({net} − {r}q)/(p − q) = {fmt.short(net - r * q)}/{fmt.short(p - q)}"

    def expect(
        self, cell: Cell, report: Reports, item: int | None, attack: Strategy | None
    ) -> tuple[float | None, float]:
        """The expected targets that a report supports (None if unknown), and its weight."""
        protocol: Any = cell.protocol
        p, q = (1.0, 0.0) if self.adds_up else (protocol.p, protocol.q)
        r, held = cell.targets.size, item in cell.targets
        if attack is None:
            hit, weight = r * q + held * (p - q), float(held)
        else:
            law = fake_support(cell)
            assert law is not None  # there is no explanation of what has no law
            hit = float(law.rates[cell.targets].sum())
            weight = (hit - r * q) / (p - q)
        return None if self.adds_up else hit, weight

    def keep_answer(self, cell: Cell, item: int, rng: Rng) -> Reports | None:
        """The answer that a client will memoise for an item, as a report."""
        protocol: Any = cell.protocol
        if not hasattr(protocol, "keep"):
            return None
        return cast("Reports", protocol.keep(np.array([item]), copy.deepcopy(rng)))

    def noises(self, cell: Cell, kept: bool) -> tuple[Noise, ...]:
        """The noises of a report, in order; a memoised answer's first."""
        protocol: Any = cell.protocol
        if not kept:
            return (("Perturbation", "", letters_of(cell), (protocol.p, protocol.q)),)
        chain = protocol.chain
        return (
            (*KEPT_NOISE, ("p₁", "q₁"), (chain.p1, chain.q1)),
            (*FRESH_NOISE, ("p₂", "q₂"), (chain.p2, chain.q2)),
        )

    def own_bits(self, cell: Cell, report: Reports, item: int) -> Bits:
        """The bits that encode an item, before any noise."""
        return "own", one_bit(cell.local.domain_size, item)

    def sent_bits(self, cell: Cell, report: Reports) -> Bits:
        """The bits of a report."""
        return "supported", supported_bits(self.support(cell, report))

    def lay_out(
        self, cell: Cell, report: Reports, rows: tuple[Bits, ...], item: int | None
    ) -> StepBits:
        """Rows of bits, those of the user's item first, then those of the targets."""
        return over_items(cell, rows, item)

    def show_noise(
        self, cell: Cell, report: Reports, item: int, answer: Reports | None
    ) -> Iterator[ReportStep]:
        """Yields the steps of noise, the noise of a memoised answer first."""
        before = self.own_bits(cell, report, item)
        rows = [self.sent_bits(cell, report)]
        if answer is not None:
            rows.insert(0, ("kept", self.sent_bits(cell, answer)[1]))
        noises = self.noises(cell, answer is not None)
        for (name, text, letters, rates), after in zip(noises, rows, strict=False):
            cells = self.lay_out(cell, report, (before, after), item)
            if after is rows[0]:
                cells = replace(cells, rate=rates[1])
            is_supported = after[1][item : item + 1].any()
            text = text or ("supports its item" if is_supported else "does not support it")
            turns = "1" if self.shows_bits else after[0]
            yield noise_step(name, text, before, (turns, after[1]), letters, rates, cells)
            before = after

    def show_value(self, cell: Cell, item: int | None, attack: Strategy | None) -> ReportStep:
        """The first step: the item of a genuine user, or the aim of a fake user."""
        if item is None:
            detail = f"wants {targets_of(cell)} to look {wish_of(cast('Strategy', attack))}"
            return ReportStep("Value", "none: a fake holds no item", detail=(detail,))
        is_target = item in cell.targets
        text = name_item(cell, item) + (", a target" if is_target else "")
        if attack is None:
            share, users = (
                fmt.percent(cell.population.frequencies[item]),
                fmt.plural(cell.users, "user"),
            )
            return ReportStep("Value", text, detail=(f"held by {share} of {users}",))
        chosen = f"one of {targets_of(cell)}, at random" if is_target else "chosen at random"
        lie = ": its only lie" if attack.report_law == "honest" else ""
        return ReportStep("Value", text, detail=(chosen + lie,))

    def show_bits(self, cell: Cell, report: Reports, item: int | None) -> StepBits | None:
        """The bits that encode the item, before noise; without an item the report's own bits."""
        if item is not None:
            return self.lay_out(cell, report, (self.own_bits(cell, report, item),), item)
        if self.support(cell, report) is None:
            return None
        return self.lay_out(cell, report, (self.sent_bits(cell, report),), None)

    def show_report(self, cell: Cell, report: Reports) -> ReportStep:
        """The step of the sent report."""
        text, *detail = self.describe(cell, report)
        if not self.shows_bits:
            return ReportStep("Report", text, detail=tuple(detail))
        bits = supported_bits(self.support(cell, report))
        marked = np.sort(cell.targets)
        return ReportStep("Report", text, detail=tuple(detail), bits=bits, marked=marked)

    def show_server(
        self, cell: Cell, report: Reports, item: int | None, attack: Strategy | None
    ) -> Iterator[ReportStep]:
        """Yields the server's steps: the items that a report supports, and its weight."""
        r, support = cell.targets.size, self.support(cell, report)
        hit, average = self.expect(cell, report, item, attack)
        if support is not None:
            meter = None
            if r and hit is not None:
                meter = Meter(int(support[cell.targets].sum()), r, hit)
            numbers, cells = self.server_numbers(cell, report), None
            if numbers is not None:
                cells = over_items(cell, (("support", support > 0),), item)
                cells = replace(cells, numbers=numbers, rate=cast("Any", cell.protocol).q)
            yield ReportStep("Support", support_text(support, item), cells=cells, meter=meter)
        if r:
            weight, formula = self.weigh(cell, report)
            who = ": honest noise cancels" if attack is None else ", of such a fake"
            mean = f"{fmt.short(average, sign=True)} on average{who}"
            text = f"{fmt.short(weight, sign=True)} users with a target"
            yield ReportStep("Weight", text, detail=(formula, mean))

    def explain_genuine(self, cell: Cell, item: int, kept: Rng, fresh: Rng) -> ReportHistory:
        """The steps of the report of a genuine user who holds `item`.

        kept : the generator of memoised answers. fresh : the generator of all other draws.
        """
        items, protocol = np.array([item]), cast("Any", cell.protocol)
        if isinstance(protocol, Memoising):
            answer = self.keep_answer(cell, item, kept)
            report = protocol.memoised_reports(items, kept, fresh)
        else:
            answer, report = None, cell.local.perturb(items, fresh)
        steps = (*self._of_item(cell, report, item, answer), self.show_report(cell, report))
        return self._history(cell, "A genuine user", report, steps, item, None)

    def explain_fake(self, cell: Cell, attack: Strategy, title: str, rng: Rng) -> ReportHistory:
        """The steps of the report of a fake user, drawn by the attack."""
        view, item = View(cell.targets), None
        attack, searched = shorten_search(attack, cell)
        if hasattr(attack, "draw_pretended_items"):
            # The attack draws the item first: a copy of the generator draws the same one.
            item = cast("Any", attack).draw_pretended_items(view, 1, copy.deepcopy(rng)).item()
        report = attack.reports(cell.local, view, 1, rng)
        if item is None:
            bits = self.show_bits(cell, report, None)
            text = self.laws.get(attack.report_law, "as the attack draws it")
            steps = [ReportStep("Crafting", text, cells=bits, detail=searched), NO_NOISE]
        else:
            steps = [*self._of_item(cell, report, item, None)]
            if attack.report_law == "unperturbed":
                steps = [replace(steps[0], cells=self.show_bits(cell, report, item)), NO_NOISE]
        if getattr(attack, "drop_out", False):
            steps += [KEPT_BACK]
        steps += [self.show_report(cell, report)]
        return self._history(cell, title, report, tuple(steps), item, attack)

    def _of_item(
        self, cell: Cell, report: Reports, item: int, answer: Reports | None
    ) -> Iterator[ReportStep]:
        """Yields the steps from an item to its report."""
        text, *detail = self.encode(cell, report, item)
        yield ReportStep("Encoding", text, detail=tuple(detail))  # the noise shows its bits
        yield from self.show_noise(cell, report, item, answer)

    def _history(
        self,
        cell: Cell,
        title: str,
        report: Reports,
        steps: tuple[ReportStep, ...],
        item: int | None,
        attack: Strategy | None,
    ) -> ReportHistory:
        first = self.show_value(cell, item, attack)
        server = self.show_server(cell, report, item, attack)
        support = self.support(cell, report)
        items = np.flatnonzero(supported_bits(support)) if support is not None else NOTHING
        weight, _ = self.weigh(cell, report)
        hit = np.intersect1d(items, cell.targets)
        return ReportHistory(
            title, attack is not None, item, report, (first, *steps, *server), items, hit, weight
        )


NOTHING: Final[Items] = np.empty(0, dtype=np.int64)


def shorten_search(attack: Any, cell: Cell) -> tuple[Strategy, tuple[str, ...]]:
    """The attack with seeds for one quick report, and a sentence about their number."""
    if not hasattr(attack, "seeds") or not hasattr(cell.protocol, "hash_range"):
        return attack, ()
    r = cell.targets.size
    work = r * (r + 1) // 2 if getattr(attack, "scoring", "") == "bucket" else r
    seeds = min(attack.seeds, max(1, SEARCH_WORK // work))
    fewer = f" (the attack: {fmt.count(attack.seeds)})" if seeds < attack.seeds else ""
    return replace(attack, seeds=seeds), (f"the best of {fmt.plural(seeds, 'seed')}{fewer}",)


def noise_step(
    name: str,
    text: str,
    before: Bits,
    after: Bits,
    letters: tuple[str, str],
    rates: tuple[float, float],
    cells: StepBits | None,
) -> ReportStep:
    """The step of a noise that turns a 1 or a 0 into a 1 with the probabilities `rates`."""
    (was, ones), (now, sent) = before, after
    turns = "" if now == "supported" else f" → {now}"
    outcomes = (
        StepOutcome(f"{was}{turns}", letters[0], rates[0], count_among(sent, ones)),
        StepOutcome(f"other{turns}", letters[1], rates[1], count_among(sent, ~ones)),
    )
    return ReportStep(name, text, outcomes, cells)


KEPT_NOISE: Final = "Kept noise", "drawn once for this item, the same in every report"
FRESH_NOISE: Final = "Fresh noise", "drawn anew for each report"
"""The two noises of a client that keeps an answer: names, and sentences."""


def count_among(sent: BoolArray, among: BoolArray) -> str:
    """The number of ones among some bits, in words; "yes" or "no" for one bit."""
    ones, size = int(sent[among].sum()), int(among.sum())
    return ("yes" if ones else "no") if size == 1 else f"{fmt.count(ones)} of {fmt.count(size)}"


def support_text(support: Supports, item: int | None) -> str:
    """The number of items that a report supports, and whether the user's is one, in words."""
    against = int((support < 0).sum())
    text = f"{fmt.count(int((support > 0).sum()))} of {fmt.plural(support.size, 'item')}"
    if item is not None:
        text += f"; the user's own is {'' if support[item] > 0 else 'not '}among them"
    return text + (f"; against {fmt.count(against)}" if against else "")


def supported_bits(support: Supports | None) -> BoolArray:
    return np.asarray(cast("Supports", support) > 0)


def one_bit(size: int, place: int) -> BoolArray:
    """bool[size], True only at `place`."""
    bits = np.zeros(size, dtype=np.bool_)
    bits[place] = True
    return bits


def over_items(cell: Cell, rows: tuple[Bits, ...], own: int | None) -> StepBits:
    """Rows of bits over the items, the user's item first, then the targets."""
    rest = tuple(int(target) for target in np.sort(cell.targets) if target != own)
    groups = [MemberGroup("own", (own,))] if own is not None else []
    groups += [MemberGroup("targets", rest)] if rest else []
    shown = [member for group in groups for member in group.members]
    labels = {member: cell.population.label(member) for member in shown}
    return StepBits("item", rows, tuple(groups), labels)


def letters_of(cell: Cell) -> tuple[str, str]:
    """The symbols of the probabilities to send a 1 and a 0 as 1: p and q, for RAPPOR q* and p*."""
    return ("q*", "p*") if "p_star" in cell.protocol.facts() else ("p", "q")


def name_item(cell: Cell, item: int) -> str:
    """The number of an item, and its label if it has one."""
    label = cell.population.label(item)
    return f"item {item}" if cell.population.labels is None else f"item {item}, “{label}”"


def targets_of(cell: Cell) -> str:
    """The number of targets in words: `3 targets`."""
    return fmt.plural(cell.targets.size, "target")


def wish_of(attack: Strategy) -> str:
    """How targets shall look: "frequent", or "rare" for a demotion; drawn ones are said to be."""
    if attack.report_law == "avoided":
        return "rare"
    drawn = isinstance(getattr(attack, "targets", None), RandomSet)
    return "frequent, whichever they are" if drawn else "frequent"


def hex_of(report: NDArray[Any]) -> str:
    """The length and the first bytes of a packed report, as text."""
    data = report.tobytes()
    start = data[:7].hex(" ")
    return f"{fmt.plural(len(data), 'byte')}: {start}" + (" …" if len(data) > 7 else "")


def bits_needed(choices: int) -> str:
    """The number of bits that encode one of `choices` values, in words."""
    return fmt.plural((choices - 1).bit_length(), "bit")
