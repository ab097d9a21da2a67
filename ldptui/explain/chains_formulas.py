"""Longitudinal kinds: an answer that is kept, and noise on it that is drawn for every report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, cast

from ldptui.core.cell import Cell

from .family_explanation import FamilyExplanation, find_family_explanation
from .formula import Formula, KnownNumbers
from .formula_inputs import FormulaSetting
from .report_explanation import ReportExplanation

KEPT: Final = "Two noises: the first is drawn once and kept, the second is fresh in every report"


def _at_one_time(protocol: Any) -> FamilyExplanation:
    """The explanation of the protocol that the users would run in a single collection."""
    return cast("FamilyExplanation", find_family_explanation(protocol.at_one_time))


_row = partial(Formula, source="ACG")
_P1: Final = partial(_row, "The kept answer supports the own item",
                     key="p1", name="p₁, kept")  # fmt: skip
_Q1: Final = partial(_row, "The kept answer supports any other item",
                     key="q1", name="q₁, kept")  # fmt: skip
_P2: Final = partial(_row, "A report supports an item of the kept answer",
                     key="p2", name="p₂, fresh")  # fmt: skip
_Q2: Final = partial(_row, "A report supports an item that the kept answer does not",
                     key="q2", name="q₂, fresh")  # fmt: skip

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
    _row("Privacy of the first report", "ε₁ = ε of p and q", put="from p and q",
         key="epsilon_one", name="ε₁, one report"),
    _row("Privacy of the rounds shown, of a user who takes part in all",
         "ε of R reports of one item, exact", put="R = {R}"),
)  # fmt: skip

BITS: Final = "ln[p₁(1 − q₁)/((1 − p₁) q₁)]", "ln[{p₁} · (1 − {q₁}) / ((1 − {p₁}) · {q₁})]"
KNOWN: Final = "as given: the kept answer is randomised response", "{ε∞}"
"""The privacy of all reports of one item, and the same with its numbers."""


def _formulas(setting: FormulaSetting) -> Iterator[Formula]:
    protocol, chain = setting.protocol, setting.protocol.chain
    response, ever = getattr(protocol, "response", None), protocol.epsilon_infinity
    rounds = len(setting.cell.rounds) if setting.cell is not None else 0
    known = KnownNumbers(setting)
    known |= {
        "p₁": chain.p1, "q₁": chain.q1, "p₂": chain.p2, "q₂": chain.q2,
        "Pr[own]": chain.p, "Pr[any]": chain.q, "ε₁": protocol.epsilon, "ε∞": ever,
        "answers": round(protocol.epsilon_lifetime / ever),
    }  # fmt: skip
    if rounds > 1:
        known |= {"R": rounds, "ε of R reports of one item": protocol.epsilon_of_rounds(rounds)}
    if response is not None:
        known |= {"g": response.answers, "A₂": response.odds}
    yield from known.fill((*_noises(setting), *TOGETHER, *_kept_for_good(setting)), KEPT)
    yield from _at_one_time(protocol).formulas(setting)


def _noises(setting: FormulaSetting) -> tuple[Formula, ...]:
    """The formulas of the probabilities of the permanent and of the fresh noise."""
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


def _kept_for_good(setting: FormulaSetting) -> Iterator[Formula]:
    """Yields the privacy of all reports together, and the variance that more rounds do
    not reduce.
    """
    at_one_time = setting.protocol.at_one_time
    text, put = BITS if at_one_time == "unary" else KNOWN
    symbol = "g" if at_one_time == "hashing" else "d"
    yield _row(
        "Privacy of all reports of one item", f"ε∞ = {text}", put=put,
        key="epsilon_infinity", name="ε∞, all reports",
    )  # fmt: skip
    yield _row(
        "Privacy of a user whose item changes, at most", f"{symbol} ε∞: an answer is kept for each",
        put="{answers} · {ε∞}",
        key="epsilon_lifetime", name="ε, item changes",
    )  # fmt: skip
    yield _row(
        "Variance of a count, for one user, that no number of rounds takes away",
        "q₁{(1 − q₁)} / {(p₁ − q₁)}²", key="kept_variance", name="kept variance",
    )  # fmt: skip


def _reports(cell: Cell) -> ReportExplanation:
    """The explanation of the reports of a single collection, which shows a memoised answer too."""
    return cast("ReportExplanation", _at_one_time(cell.protocol).reports)


EXPLANATIONS: Final = {
    "chains": FamilyExplanation(
        _formulas,
        _reports,
        symbols={"ε₁": "epsilon"},
        notes=lambda _: ("p, q, σ, gains: of one report; kept variance / n stays",),
    )
}
