"""what several releases cost together"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import Range

from ..text import format as text
from .draft_values import entries_of_draft, noise_of_draft, rounds_of_draft
from .options import Argument, Blank
from .parameters import TIMES, Slack, read_cell
from .question import Curves, Steps, question
from .question_answer import QuantityRow, QuestionAnswer, hidden, omit_field, row_of_formula

if TYPE_CHECKING:
    from ldptui.core.lab.ledger import LedgerEntry, SpentBudget

TOTALS: Final = {
    "sequential": ("Σ ε, Σ δ", "DR th. 3.16"),
    "advanced": ("√(2 ln(1/δ')Σε²) + Σε(e^ε−1)", "DR th. 3.20"),
    "improved": ("√(2 ln(1/δ')Σε²)+Σε tanh(ε/2)", "KOV th. 3.5"),
    "exact": ("worst: randomised responses", "KOV th. 3.3"),
}
POINTS: Final = 33
SURE: Final = 7.0
"""The ε from which an even guess may become more than 99.9 % sure."""


@dataclass(frozen=True)
class RapporRounds:
    """ε of RAPPOR's reports of one value: by naive composition, exactly, and the limit for many
    reports.
    """

    rounds: int
    one: float
    naive: float
    memoised: float
    limit: float


@dataclass(frozen=True)
class LedgerAnswer(QuestionAnswer):
    """The answer of `ledger`: the total budget by every composition theorem, and RAPPOR's rounds.

    first : only so many releases are added up; None if there are none.
    void : True if a release promises nothing to a group of this size.
    scenario : the scenario whose rounds are included.
    noise : RAPPOR's f, p, q and hashes.
    """

    entries: Sequence[LedgerEntry]
    delta: float
    people: int
    spent: Mapping[str, SpentBudget]
    rappor: RapporRounds | None
    first: int | None
    void: bool | None = omit_field()
    scenario: str | None = hidden()
    noise: tuple[float, ...] | None = hidden()

    @property
    def rounds(self) -> int | None:
        return None if self.rappor is None else self.rappor.rounds

    @property
    def title(self) -> str:
        several = "entry" if len(self.entries) == 1 else "entries"
        return f"Budget ledger: {len(self.entries)} {several}, δ = {text.chosen_value(self.delta)}"

    @property
    def sentences(self) -> Iterator[str]:
        if self.spent:
            total, people = self.spent["sequential"].epsilon, self.people
            each = f"for {people} people together" if people > 1 else "for one person"
            yield f"Together the releases spend ε = {text.short(total)} {each}: the sum."
            name, least = min(self.spent.items(), key=lambda item: item[1].epsilon)
            if least.epsilon < 0.995 * total:
                delta = text.short(max(least.delta, self.delta), 3)
                yield (
                    f"With δ = {delta} allowed, ε = {text.short(least.epsilon)} "
                    f"holds as well ({name} composition)."
                )
            yield _explain_total(least.epsilon)
        if (reports := self.rappor) is not None:
            yield (
                f"RAPPOR's permanent noise is drawn once: {text.count(reports.rounds)} reports "
                f"cost ε = {text.short(reports.memoised)}, not {text.short(reports.naive)}, and "
                f"never more than {text.short(reports.limit)}."
            )

    def quantities(self) -> Iterator[QuantityRow]:
        for entry in self.entries:
            if not entry.epsilon and not entry.delta:
                yield QuantityRow(entry.name, "0", "post-processing is free", "DR pr. 2.1")
                continue
            what = "once"
            if entry.times > 1:
                what = f"{text.count(entry.times)} × ε = {text.chosen_value(entry.epsilon)}"
            what += f", δ = {text.chosen_value(entry.delta)} each" if entry.delta else ""
            yield QuantityRow(entry.name, entry.epsilon * entry.times, what)
        for name, (formula, source) in TOTALS.items():
            if (spent := self.spent.get(name)) is not None:
                other = spent.delta and not math.isclose(spent.delta, self.delta, rel_tol=1e-3)
                what = f"{formula}; δ = {text.short(spent.delta, 3)}" if other else formula
                yield QuantityRow(f"total, {name}", spent.epsilon, what, source)
        if self.noise is not None and (reports := self.rappor) is not None:
            from ..explain.rappor_formulas import rows_of_noise
            from .releases import read_noise

            known = rows_of_noise(*read_noise(self.noise))
            t = f"{text.count(reports.rounds)} reports"
            yield row_of_formula("one RAPPOR report", known["epsilon_one"])
            yield QuantityRow(
                f"{t}, naive", reports.naive, "sum, as if drawn afresh", "DR th. 3.16"
            )
            yield QuantityRow(
                f"{t}, memoised", reports.memoised, "exact, permanent bits kept", "RAP 3.1"
            )
            yield row_of_formula("for ever, memoised", known["epsilon_infinity"])

    @property
    def notes(self) -> Iterator[str]:
        if self.people > 1:
            yield f"totals are for {self.people} people together: kε of each (DR th. 2.2)"
        if self.void:
            yield f"δ of {self.people} people together is 1 in a release, which promises nothing"
        elif len(self.spent) > 1:
            least = min(spent.epsilon for spent in self.spent.values())
            sums = least > 0.995 * self.spent["sequential"].epsilon
            yield f"every total holds: name the least{', here the sum' * sums}"
        for entry in self.entries:
            if entry.times > 1 and entry.epsilon:
                once = text.chosen_value(entry.epsilon)
                yield f"{entry.name}: kept answers would cost ε = {once} once, however many"
        if any(entry.times > 1 for entry in self.entries):
            yield "what fresh reports of one item give away at any ε: guess --fresh N"
        if self.scenario:
            yield "of a scenario that sweeps, the values without the sweep are added up"


def _explain_total(epsilon: float) -> str:
    """The sentence that says how sure an even guess between two values may become."""
    total = text.short(epsilon)
    if epsilon >= SURE:
        return f"ε = {total} promises nothing: an even guess between two values may become certain."
    sure = text.percent(1 / (1 + math.exp(-epsilon)))
    return f"ε = {total} means: an even guess between two values becomes at most {sure} sure."


def _first_releases(entries: Sequence[LedgerEntry], releases: int) -> list[LedgerEntry]:
    first = []
    for entry in entries:
        if times := min(entry.times, releases):
            first.append(replace(entry, times=times))
        releases -= times
    return first


def _places(given: Mapping[str, Any]) -> Sequence[int]:
    """Numbers of releases from 1 to all."""
    total = given["answer"].first
    step = max(1, math.ceil(total / POINTS)) if total else 1
    return [*range(1, (total or 0) + 1, step)]


def _numbers_of_reports(given: Mapping[str, Any]) -> Sequence[int]:
    """Numbers of RAPPOR's reports; none without RAPPOR."""
    rounds = given["answer"].rounds
    return [] if rounds is None else [round(1.3**step) for step in range(POINTS)]


@question(
    "Ledger",
    "What do all releases cost together?",
    place=1,
    curves=[
        Curves(
            "Budget spent after each release",
            "first",
            _places,
            {
                "sequential, Σ ε": ("spent.sequential.epsilon", "attacked"),
                "improved KOV 3.5": ("spent.improved.epsilon", "clean"),
                "exact KOV 3.3": ("spent.exact.epsilon", "theory"),
            },
            "releases so far",
            "ε",
            is_log=False,
            marked="all",
        ),
        Curves(
            "RAPPOR: budget of reports about one value",
            "rounds",
            _numbers_of_reports,
            {"naive sum": ("rappor.naive", "attacked"), "memoised": ("rappor.memoised", "theory")},
            "reports",
            "ε",
            without=("entries", "scenario", "first"),
            held={"rappor": "noise"},
        ),
    ],
)
def ledger(
    *entries: Annotated[
        str, "ENTRY", Argument(positional=True), Blank((), entries_of_draft, hint="name=ε,δxN")
    ],
    scenario: Annotated[str | None, "NAME"] = None,
    delta: Annotated[Slack, Range(0, 1, "()")] = 1e-6,
    people: Annotated[int, TIMES, "K", Blank()] = 1,
    rappor: Annotated[
        tuple[float, float, float, float] | None,
        "F,P,Q,H",
        Blank("0.5, 0.5, 0.75, 2", noise_of_draft),
    ] = None,
    rounds: Annotated[int, TIMES, "T", Blank(30, rounds_of_draft, steps="1-2-5")] = 1,
    first: Annotated[int | None, TIMES, "K"] = None,
) -> Steps[LedgerAnswer]:
    """Add up what several releases about the same people cost together.

    Parameters
    ----------
    entries : a release, or several of a kind
    scenario : add the rounds of a scenario: a file, or a bundled one
    delta : δ that all may cost
    people : people protected together
    rappor : RAPPOR's memoised rounds: f, p, q and hashes
    rounds : the number of those rounds
    first : add up the first K releases alone

    Examples
    --------
    ENTRY is [NAME=]EPSILON[,DELTA][xTIMES]; ε = 0 is post-processing.
    ldptui ledger daily=0.1x30 census=0.5,1e-8 --delta 1e-6 --people 4
    """
    from ldptui.core.lab import ledger as books

    from .releases import noise_of, read_entries, releases_of

    if scenario is not None:
        if rappor is not None:
            raise ScenarioError("cannot be given with --rappor", key="scenario")
        cell = read_cell(scenario)
        entries, rappor = (*entries, *releases_of(cell)), noise_of(cell)
        rounds = max(1, len(cell.rounds))
    releases = read_entries(entries)
    if not releases and rappor is None:
        rule = "must be given at least once, or --scenario, or --rappor"
        raise ScenarioError(rule, key="entries")
    if first is not None:
        releases = _first_releases(releases, first)
    total = sum(entry.times for entry in releases)
    yield f"composing {text.count(total)} releases"
    group = books.of_group(releases, people)
    if group is None:
        spent = {"sequential": books.group(books.sequential(releases), people)}
    else:
        spent = _compose(group, delta) if group else {}
    return LedgerAnswer(
        releases, delta, people, spent,
        None if rappor is None else _count_rounds(rappor, rounds),
        total or None, group is None or None, scenario, rappor,
    )  # fmt: skip


def _count_rounds(rappor: Sequence[float], rounds: int) -> RapporRounds:
    """RAPPOR's rounds: naive composition, the exact loss of memoised rounds, and their limit."""
    from ldptui.core.protocols.rappor import epsilon_of_rounds, naive_epsilon_of_rounds

    from ..explain.rappor_formulas import rows_of_noise
    from .releases import read_noise

    noise, h = read_noise(rappor)
    known = rows_of_noise(noise, h)
    return RapporRounds(
        rounds,
        known["epsilon_one"].value,
        naive_epsilon_of_rounds(noise, h, rounds),
        epsilon_of_rounds(noise, h, rounds),
        known["epsilon_infinity"].value,
    )


def _compose(entries: Sequence[LedgerEntry], delta: float) -> dict[str, SpentBudget]:
    """The totals of releases that each promise something."""
    from ldptui.core.lab import ledger as books

    spent = {"sequential": books.sequential(entries)}
    slack = delta - spent["sequential"].delta  # what is left of δ
    if slack > 0:
        advanced = books.compose_advanced(entries, slack)
        if advanced.epsilon < spent["sequential"].epsilon:
            spent["advanced"] = advanced
        spent["improved"] = books.improve_composition(entries, slack)
        try:
            spent["exact"] = books.exact(entries, delta)
        except ScenarioError as error:
            if error.key != "entries":  # too many different ε: the others still hold
                raise
    return spent
