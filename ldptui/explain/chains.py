"""Longitudinal kinds: an answer that is kept, and noise on it that is drawn for every report."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import BoolArray, Reports, Rng

from ..text import format as fmt
from ..text.format import count, short
from .formula import Entry, Formula, numeric
from .report import Chance, Life, Step
from .report.cells import over_items
from .report.pure import PureReports, honest_value
from .report.server import completed
from .setting import Setting
from .story import Story, story_named
from .table import P_AND_Q, cited, pure_notes

ACG: Final = "Arcolezi et al. 2022"
KEPT: Final = "Two noises: the first is drawn once and kept, the second is fresh in every report"


def _at_one_time(protocol: Any) -> Story:
    """The story of the protocol that a single collection is."""
    return cast("Story", story_named(protocol.at_one_time))


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol = setting.protocol
    yield from _noises(protocol, setting.given)
    yield from _privacy(setting)
    yield from _left_over(setting)
    yield from _at_one_time(protocol).formulas(setting)


def _noises(protocol: Any, given: Mapping[str, Any]) -> Iterator[Formula]:
    """The two pairs of probabilities, and what they are together."""
    chain = protocol.chain
    p1, q1, p2, q2 = map(short, (chain.p1, chain.q1, chain.p2, chain.q2))
    live = partial(numeric, KEPT, source=ACG)
    first, second = _WORDS[protocol.at_one_time](protocol)
    if hasattr(protocol, "response"):
        yield from _odds(protocol.response, str(given.get("calibration", "tight")))
    yield live("The kept answer supports the own item", *first[0], chain.p1,
               entry=Entry("p1", "p₁, kept", "ACG"))  # fmt: skip
    yield live("The kept answer supports any other item", *first[1], chain.q1,
               entry=Entry("q1", "q₁, kept", "ACG"))  # fmt: skip
    yield live("A report supports an item of the kept answer", *second[0], chain.p2,
               entry=Entry("p2", "p₂, fresh", "ACG"))  # fmt: skip
    yield live("A report supports an item that the kept answer does not", *second[1], chain.q2,
               entry=Entry("q2", "q₂, fresh", "ACG"))  # fmt: skip
    yield live("Both together: a report supports the own item", "Pr[own] = p₁ p₂ + (1 − p₁) q₂",
               f"{p1} · {p2} + (1 − {p1}) · {q2}", chain.p)  # fmt: skip
    yield live("Both together: a report supports any other item", "Pr[any] = q₁ p₂ + (1 − q₁) q₂",
               f"{q1} · {p2} + (1 − {q1}) · {q2}", chain.q)  # fmt: skip


def _odds(response: Any, calibration: str) -> Iterator[Formula]:
    """A₂, how much likelier a report has the kept answer than another, as it was calibrated."""
    top = "e^ε₁ (e^ε∞ + g − 2) − (g − 1)" if calibration == "tight" else "e^(ε∞ + ε₁) − 1"
    put = f"g = {response.answers} answers, ε∞ = {short(response.limit)}, {calibration}"
    yield numeric(
        KEPT, "How much likelier a report has the kept answer than another one",
        f"A₂ = ({top}) / (e^ε∞ − e^ε₁)", put, response.odds, ACG,
    )  # fmt: skip


_Words = tuple[tuple[tuple[str, str], tuple[str, str]], tuple[tuple[str, str], tuple[str, str]]]
"""Formula and numbers of p₁ and q₁, and of p₂ and q₂."""


def _bits(protocol: Any) -> _Words:
    """The noises of unary chains: symmetric (SUE), or 1/2 for a 1 (OUE)."""
    chain, e_ = protocol.chain, short(np.exp(protocol.epsilon_infinity))
    half_ = short(np.exp(protocol.epsilon_infinity / 2))
    given, put = "so that one report costs ε₁", f"ε₁ = {short(protocol.epsilon)}"
    if _symmetric(chain.p1, chain.q1):
        first = (
            ("p₁ = e^(ε∞/2) / (e^(ε∞/2) + 1)", f"{half_} / ({half_} + 1)"),
            ("q₁ = 1 / (e^(ε∞/2) + 1)", f"1 / ({half_} + 1)"),
        )
    else:
        first = ("p₁ = 1/2", "1/2"), ("q₁ = 1 / (e^ε∞ + 1)", f"1 / ({e_} + 1)")
    if _symmetric(chain.p2, chain.q2):
        return first, ((f"p₂ = 1 − q₂: {given}", put), (f"q₂ = 1 − p₂: {given}", put))
    return first, (("p₂ = 1/2", "1/2"), (f"q₂: {given}", put))


def _symmetric(p: float, q: float) -> bool:
    return abs(p + q - 1) < 1e-12


def _response(protocol: Any) -> _Words:
    """The noises of chains of randomised response over g answers: GRR, or the buckets of a hash."""
    response, hashes = protocol.response, protocol.at_one_time == "hashing"
    g, symbol = response.answers, "g" if hashes else "d"
    kept_, c_ = short(np.exp(response.limit)), short(response.odds)
    first = f"e^ε∞ + {symbol} − 1", f"{kept_} + {g} − 1"
    other = ("q₁ = 1/g", f"1/{g}") if hashes else (f"q₁ = 1 / ({first[0]})", f"1 / ({first[1]})")
    second = f"A₂ + {symbol} − 1", f"{c_} + {g} − 1"
    return (
        (f"p₁ = e^ε∞ / ({first[0]})", f"{kept_} / ({first[1]})"),
        other,
    ), (
        (f"p₂ = A₂ / ({second[0]})", f"{c_} / ({second[1]})"),
        (f"q₂ = 1 / ({second[0]})", f"1 / ({second[1]})"),
    )


_WORDS: Final = {"unary": _bits, "direct": _response, "hashing": _response}
"""The words of the noises, by the family of the protocol that a single collection is."""


def _privacy(setting: Setting) -> Iterator[Formula]:
    """ε of one report, of the rounds shown, of all reports of an item, of all items."""
    protocol, chain = setting.protocol, setting.protocol.chain
    live = partial(numeric, KEPT, source=ACG)
    one, ever = protocol.epsilon, protocol.epsilon_infinity
    yield live(
        "Privacy of the first report", "ε₁: what p and q together cost", "from p and q", one,
        entry=Entry("epsilon_one", "ε₁, one report", "ACG", "ε of p and q"),
    )  # fmt: skip
    rounds = len(setting.cell.rounds) if setting.cell is not None else 0
    if rounds > 1:
        yield live(
            "Privacy of the rounds shown, of a user who takes part in all",
            "ε of R reports of one item, exact", f"R = {count(rounds)}",
            protocol.epsilon_of_rounds(rounds),
        )  # fmt: skip
    if protocol.at_one_time == "unary":
        p_, q_ = short(chain.p1), short(chain.q1)
        formula = "ln[p₁(1 − q₁)/((1 − p₁) q₁)]"
        put = f"ln[{p_} · (1 − {q_}) / ((1 − {p_}) · {q_})]"
    else:
        formula, put = "as given: the kept answer is randomised response", short(ever)
    yield live(
        "Privacy of all reports of one item", f"ε∞ = {formula}", put, ever,
        entry=Entry("epsilon_infinity", "ε∞, all reports", "ACG", "ε of p₁ and q₁"),
    )  # fmt: skip
    answers = round(protocol.epsilon_lifetime / ever)
    symbol = "g" if protocol.at_one_time == "hashing" else "d"
    yield live(
        "Privacy of a user whose item changes, at most", f"{symbol} ε∞: an answer is kept for each",
        f"{count(answers)} · {short(ever)}", protocol.epsilon_lifetime,
        entry=Entry("epsilon_lifetime", "ε, item changes", "ACG", f"{symbol} ε∞"),
    )  # fmt: skip


def _left_over(setting: Setting) -> Iterator[Formula]:
    """The variance of the kept answers, which more rounds of the same users do not take away."""
    chain = setting.protocol.chain
    q_, gap_ = short(chain.q1), short(chain.p1 - chain.q1)
    spread = chain.q1 * (1 - chain.q1) / (chain.p1 - chain.q1) ** 2
    yield numeric(
        KEPT, "Variance of a count, for one user, that no number of rounds takes away",
        "q₁(1 − q₁) / (p₁ − q₁)²", f"{q_} · {short(1 - chain.q1)} / {gap_}²", spread, ACG,
        entry=Entry("kept_variance", "kept variance", "ACG"),
    )  # fmt: skip


@dataclass(frozen=True)
class ChainReports:
    """The reports of a chain: those of one time, with the kept answer shown before the fresh noise.

    The kept answer is no part of a report: it is drawn again from the same stream.
    """

    def refusal(self, cell: Cell) -> str:  # noqa: ARG002
        return ""

    def genuine(self, cell: Cell, item: int, kept: Rng, fresh: Rng) -> Life:
        protocol: Any = cell.protocol
        values, alone = np.array([item]), self._alone(cell)
        answer = protocol.keep(values, copy.deepcopy(kept))
        report = protocol.memoised_reports(values, kept, fresh)
        encoding, _, sent = alone.honest(cell, report, item)
        noises = _kept_step(cell, answer, item, encoding), _fresh_step(cell, answer, report, item)
        steps = (honest_value(cell, item), *noises, sent)
        return completed(cell, "A genuine user", report, steps, item, alone.heard, fake=False)

    def fake(self, cell: Cell, attack: Strategy, title: str, rng: Rng) -> Life:
        return self._alone(cell).fake(cell, attack, title, rng)

    @staticmethod
    def _alone(cell: Cell) -> PureReports:
        return cast("PureReports", _at_one_time(cell.protocol).reports)


def _supported(cell: Cell, report: Reports) -> BoolArray:
    return np.asarray(cell.pure.supports(report)[0])


def _kept_step(cell: Cell, answer: Reports, item: int, encoding: Step) -> Step:
    """The permanent noise: from the own item, encoded, to the answer that is kept for it."""
    chain, kept = cast("Any", cell.protocol).chain, _supported(cell, answer)
    own = np.zeros(kept.size, np.bool_)
    own[item] = True
    return Step(
        "Kept noise",
        "drawn once for this item, the same in every report",
        (
            Chance("own item supported", "p₁", chain.p1, "yes" if kept[item] else "no"),
            Chance("each other", "q₁", chain.q1, _of(kept, ~own)),
        ),
        over_items(cell, (("own", own), ("kept", kept)), item, rate=chain.q1),
        (encoding.text, *encoding.detail),
    )


def _fresh_step(cell: Cell, answer: Reports, report: Reports, item: int) -> Step:
    """The fresh noise: from the kept answer to what is sent."""
    chain = cast("Any", cell.protocol).chain
    kept, sent = _supported(cell, answer), _supported(cell, report)
    return Step(
        "Fresh noise",
        "drawn anew for each report",
        (
            Chance("kept item supported", "p₂", chain.p2, _of(sent, kept)),
            Chance("each other", "q₂", chain.q2, _of(sent, ~kept)),
        ),
        over_items(cell, (("kept", kept), ("sent", sent)), item),
    )


def _of(supported: BoolArray, among: BoolArray) -> str:
    """The number of supported items among some, in words."""
    return f"{fmt.count(int(supported[among].sum()))} of {fmt.count(int(among.sum()))}"


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    yield "p, q, σ, gains: of one report; kept variance / n stays, however many rounds"
    yield from cited("ACG")
    yield from pure_notes(setting, rows)


_OWN: Final = ("epsilon_one", "epsilon_infinity", "epsilon_lifetime", "p1", "q1", "p2", "q2")

STORY: Final = Story(
    _formulas,
    ChainReports(),
    table=(*_OWN, *P_AND_Q[:2], "hash_range", P_AND_Q[2], "kept_variance", *P_AND_Q[3:]),
    fields=(*_OWN, "kept_variance"),
    symbols={"ε₁": "epsilon"},
    notes=_notes,
    brief=("p", "q", "hash_range", "gain_factor", "epsilon_infinity"),
)
"""The formulas of the family, one report step by step, and its table."""
