"""Longitudinal kinds: an answer that is kept, and noise on it that is drawn for every report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

from ldptui.core.cell import Cell

from .citations import cited
from .family_explanation import Story, story_named
from .formula import Entry, Formula, Plain, told
from .formula_inputs import Setting
from .formula_table import P_AND_Q, pure_notes
from .report_story import ReportStory

ACG: Final = "Arcolezi et al. 2022"
KEPT: Final = "Two noises: the first is drawn once and kept, the second is fresh in every report"


def _at_one_time(protocol: Any) -> Story:
    """The story of the protocol that a single collection is."""
    return cast("Story", story_named(protocol.at_one_time))


_row = partial(Formula, source=ACG)
_P1: Final = partial(_row, "The kept answer supports the own item",
                     entry=Entry("p1", "p₁, kept", "ACG"))  # fmt: skip
_Q1: Final = partial(_row, "The kept answer supports any other item",
                     entry=Entry("q1", "q₁, kept", "ACG"))  # fmt: skip
_P2: Final = partial(_row, "A report supports an item of the kept answer",
                     entry=Entry("p2", "p₂, fresh", "ACG"))  # fmt: skip
_Q2: Final = partial(_row, "A report supports an item that the kept answer does not",
                     entry=Entry("q2", "q₂, fresh", "ACG"))  # fmt: skip

_GIVEN: Final = "so that one report costs ε₁"

FIRST: Final = {
    True: (_P1("p₁ = e^(ε∞/2) / (e^(ε∞/2) + 1)"), _Q1("q₁ = 1 / (e^(ε∞/2) + 1)")),
    False: (_P1("p₁ = 1/2"), _Q1("q₁ = 1 / (e^ε∞ + 1)")),
}
"""The kept noise of unary chains, symmetric (SUE) or not (OUE)."""

SECOND: Final = {
    True: (_P2(f"p₂ = 1 − q₂: {_GIVEN}", put="ε₁ = {ε₁}"),
           _Q2(f"q₂ = 1 − p₂: {_GIVEN}", put="ε₁ = {ε₁}")),
    False: (_P2("p₂ = 1/2"), _Q2(f"q₂: {_GIVEN}", put="ε₁ = {ε₁}")),
}  # fmt: skip
"""The fresh noise of unary chains."""

ANSWERS: Final = {
    "direct": (
        _P1("p₁ = e^ε∞ / (e^ε∞ + d − 1)"), _Q1("q₁ = 1 / (e^ε∞ + d − 1)"),
        _P2("p₂ = A₂ / (A₂ + d − 1)"), _Q2("q₂ = 1 / (A₂ + d − 1)"),
    ),
    "hashing": (
        _P1("p₁ = e^ε∞ / (e^ε∞ + g − 1)"), _Q1("q₁ = 1/g"),
        _P2("p₂ = A₂ / (A₂ + g − 1)"), _Q2("q₂ = 1 / (A₂ + g − 1)"),
    ),
}  # fmt: skip
"""The noises of chains of randomised response, over the items or over the buckets of a hash."""

ODDS: Final = {
    "tight": "A₂ = (e^ε₁ (e^ε∞ + g − 2) − (g − 1)) / (e^ε∞ − e^ε₁)",
    "published": "A₂ = (e^(ε∞ + ε₁) − 1) / (e^ε∞ − e^ε₁)",
}
"""How much likelier a report has the kept answer than another one, by the calibration."""

TOGETHER: Final = (
    _row("Both together: a report supports the own item", "Pr[own] = p₁ p₂ + (1 − p₁) q₂"),
    _row("Both together: a report supports any other item", "Pr[any] = q₁ p₂ + (1 − q₁) q₂"),
    _row("Privacy of the first report", "ε₁: what p and q together cost", put="from p and q",
         entry=Entry("epsilon_one", "ε₁, one report", "ACG", "ε of p and q")),
    _row("Privacy of the rounds shown, of a user who takes part in all",
         "ε of R reports of one item, exact", put="R = {R}"),
)  # fmt: skip

BITS: Final = "ln[p₁(1 − q₁)/((1 − p₁) q₁)]", "ln[{p₁} · (1 − {q₁}) / ((1 − {p₁}) · {q₁})]"
KNOWN: Final = "as given: the kept answer is randomised response", "{ε∞}"
"""The privacy of all reports of one item, and the same with its numbers."""


def _formulas(setting: Setting) -> Iterator[Formula]:
    known = _numbers(setting)
    yield from told((*_noises(setting), *TOGETHER, *_kept_for_good(setting)), known, KEPT)
    yield from _at_one_time(setting.protocol).formulas(setting)


def _numbers(setting: Setting) -> dict[str, float]:
    protocol, chain = setting.protocol, setting.protocol.chain
    response, ever = getattr(protocol, "response", None), protocol.epsilon_infinity
    rounds = len(setting.cell.rounds) if setting.cell is not None else 0
    known = {
        "p₁": chain.p1, "q₁": chain.q1, "p₂": chain.p2, "q₂": chain.q2,
        "Pr[own]": chain.p, "Pr[any]": chain.q,
        "ε₁": protocol.epsilon, "ε∞": ever, "d": Plain(protocol.domain_size),
        "epsilon_lifetime": protocol.epsilon_lifetime,
        "answers": round(protocol.epsilon_lifetime / ever),
    }  # fmt: skip
    if rounds > 1:
        known |= {"R": rounds, "ε of R reports of one item": protocol.epsilon_of_rounds(rounds)}
    if response is not None:
        known |= {"g": Plain(response.answers), "A₂": response.odds}
    return known


def _noises(setting: Setting) -> tuple[Formula, ...]:
    """The two pairs of probabilities."""
    protocol, chain = setting.protocol, setting.protocol.chain
    if protocol.at_one_time == "unary":
        symmetric = [
            abs(p + q - 1) < 1e-12 for p, q in ((chain.p1, chain.q1), (chain.p2, chain.q2))
        ]
        return *FIRST[symmetric[0]], *SECOND[symmetric[1]]
    calibration = str(setting.given.get("calibration", "tight"))
    odds = _row(
        "How much likelier a report has the kept answer than another one", ODDS[calibration],
        put=f"g = {{g}} answers, ε∞ = {{ε∞}}, {calibration}",
        numbers={"ε₁": float(setting.given.get("epsilon", protocol.epsilon))},
    )  # fmt: skip
    return odds, *ANSWERS[protocol.at_one_time]


def _kept_for_good(setting: Setting) -> Iterator[Formula]:
    """What all reports give away, and the variance that more rounds do not take away."""
    at_one_time = setting.protocol.at_one_time
    text, put = BITS if at_one_time == "unary" else KNOWN
    symbol = "g" if at_one_time == "hashing" else "d"
    yield _row(
        "Privacy of all reports of one item", f"ε∞ = {text}", put=put,
        entry=Entry("epsilon_infinity", "ε∞, all reports", "ACG", "ε of p₁ and q₁"),
    )  # fmt: skip
    yield _row(
        "Privacy of a user whose item changes, at most", f"{symbol} ε∞: an answer is kept for each",
        put="{answers} · {ε∞}",
        entry=Entry("epsilon_lifetime", "ε, item changes", "ACG", f"{symbol} ε∞"),
    )  # fmt: skip
    yield _row(
        "Variance of a count, for one user, that no number of rounds takes away",
        "q₁{(1 − q₁)} / {(p₁ − q₁)}²", entry=Entry("kept_variance", "kept variance", "ACG"),
    )  # fmt: skip


def _reports(cell: Cell) -> ReportStory:
    """The story of the reports of one time: it shows the kept answer where there is one."""
    return cast("ReportStory", _at_one_time(cell.protocol).reports)


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    yield "p, q, σ, gains: of one report; kept variance / n stays, however many rounds"
    yield from cited({"ACG"})
    yield from pure_notes(setting, rows)


_OWN: Final = ("epsilon_one", "epsilon_infinity", "epsilon_lifetime", "p1", "q1", "p2", "q2")

STORY: Final = Story(
    _formulas,
    _reports,
    table=(*_OWN, *P_AND_Q[:2], "hash_range", P_AND_Q[2], "kept_variance", *P_AND_Q[3:]),
    fields=(*_OWN, "kept_variance"),
    symbols={"ε₁": "epsilon"},
    notes=_notes,
    brief=("p", "q", "hash_range", "gain_factor", "epsilon_infinity"),
)
"""The formulas of the family, one report step by step, and its table."""
