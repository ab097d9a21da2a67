"""Trusted curators (Laplace, geometric, stability): noise is added once, to the counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.lab.locality import central_mse
from ldptui.core.protocols.curators import SENSITIVITY, Curator, Geometric, Laplace, Stability

from .attack_formulas import ADDED, OF_PARTS, Supported, compared, gain_keys, summed
from .citations import cited
from .family_explanation import NOT_TOLD, Story
from .formula import Crowd, Entry, Formula, Numbers, listed, told
from .formula_inputs import Setting
from .formula_table import has_gains
from .pure_formulas import shown_item

DR: Final = "Dwork, Roth 2014"
GRS: Final = "Ghosh et al. 2009"
VADHAN: Final = "Vadhan 2017, theorem 3.5"

_SURE: Final = np.full(1, 2**53)
"""The count of an item that is never withheld."""


@dataclass(frozen=True)
class Words:
    """A curator's error in words.

    error : the source of its squared error. off_by : what a count is off by at most, in terms of s,
    with probability 0.95. accuracy, needs : accuracy from ε and ε from accuracy, {Δ} for the
    sensitivity; source : where they are from. exact : α is reached; whole numbers and withheld bins
    stay below it.
    """

    error: str = NOT_TOLD
    off_by: str = NOT_TOLD
    accuracy: str = NOT_TOLD
    needs: str = NOT_TOLD
    source: str = NOT_TOLD
    exact: bool = False

    def formula(self, width: int, forward: bool) -> str:
        """Accuracy from ε, or ε from accuracy, for a sensitivity."""
        return (self.accuracy if forward else self.needs).replace("{Δ}", str(width))


_WORDS: Final[Mapping[type, Words]] = {
    Laplace: Words(
        "DR 3.3", "s ln(1/0.05)", "({Δ}/ε) ln(1/α)", "({Δ}/a) ln(1/α)", "PSI", exact=True
    ),
    Geometric: Words(
        "GRS",
        "least whole a: 2ρ^(a+1)/(1 + ρ) ≤ 0.05",
        "least a: 2r^(a+1)/(1+r) ≤ α",
        "likewise, r = e^(−ε/Δ)",
        "GRS",
    ),
    Stability: Words(
        "V th. 3.5",
        "s ln(1/0.05) + threshold",
        "({Δ}/ε) ln(2/(αδ)) + 1",
        "{Δ} ln(2/(αδ))/(a − 1)",
        "PSI",
    ),
}


def words_of(curator: type) -> Words:
    """The words of a curator's class; of one that has none, that they are not told."""
    return _WORDS.get(curator, Words())


_row = partial(Formula, source=DR)
_by_vadhan = partial(Formula, source=VADHAN)

CHANGED: Final = {
    "change-one": "one row changed: a count less, a count more",
    "add-remove": "one row more or less: one count",
}
"""What one person changes, by which tables must look alike."""

SCALE: Final = _row("Scale of the noise of one count", "s = Δ/ε", put="{Δ} / {ε:5}",
                    entry=Entry("scale", "s", "DR 3.3"))  # fmt: skip
LAPLACE: Final = _row("Variance of the noise", "2 {s:5}²")
GEOMETRIC: Final = (
    _row("Each step away is so much less likely", "ρ = e^(−1/s)", source=GRS, put="e^(−1/{s:5})"),
    _row("Variance of the noise", "2{ρ:5} / (1 − {ρ:5})²", source=GRS),
)
THRESHOLD: Final = (
    _by_vadhan("Threshold: what is not above it is withheld", "t = {s:5} ln(2/{δ:5}) + 1",
               entry=Entry("threshold", "threshold", "V th. 3.5")),
    _by_vadhan("An item that one user holds is released", "{δ:5}/4"),
)  # fmt: skip

RELEASE: Final = (
    _row("Users who hold v", "cᵥ", put="counted, nothing hides them from the curator"),
    _by_vadhan("It is released", "Pr[cᵥ + Lap(s) > t]", put="Pr[Lap({s}) > {t − cᵥ:5}]"),
    _row("The estimate, on average", "E[f~ᵥ] = {E[released count]:5} / n"),
    _row("Its standard deviation", "σᵥ = √{Var[released count]:5} / n"),
    _row("Expected mean squared error without attack",
         "MSE = (1/d) Σᵥ E[(released − cᵥ)²] / n²", put="{squared:5} / {n}²"),
)  # fmt: skip

RISES: Final = _by_vadhan(
    "Gain: how much the targets' total rises",
    "G = E[Σ_T released] / (n + m) − the same without fakes / n", put="{after:5} − {before:5}",
)  # fmt: skip

SUPPORTED: Final = {
    "random": Supported("S = r/d", put="{r} / {d}"),
    "avoided": Supported("S = 0"),
    "mixture": replace(OF_PARTS, put="{S:5}"),
    "honest": Supported("S = 1"),
    "": Supported("S = 1"),
}


def _formulas(setting: Setting) -> Iterator[Formula]:
    """Its noise, its error, and what fake users gain who add a count each."""
    curator: Curator = setting.protocol
    known, cell = _numbers(curator), setting.cell
    if isinstance(curator, Stability):
        rows = SCALE, LAPLACE, *THRESHOLD
    else:
        rows = SCALE, *(GEOMETRIC if isinstance(curator, Geometric) else (LAPLACE,))
    yield from told((_sensitivity(curator), *rows), known, "The curator's noise")
    yield from _accuracy(curator, setting.users)
    if cell is not None:
        v, what = shown_item(cell)
        part = f"The release, for v = {cell.population.label(v)}, {what}"
        yield from told(RELEASE, {**known, **_released(cell, curator, v)}, part)
        yield from _attack(cell, curator, known)
    elif not isinstance(curator, Stability):
        yield from compared(setting, _gain_in_words)


def _numbers(curator: Curator) -> dict[str, float]:
    known = {
        "ε": curator.epsilon, "d": curator.domain_size, "δ": curator.delta,
        "Δ": SENSITIVITY[curator.neighbours], "s": curator.scale,
    }  # fmt: skip
    if isinstance(curator, Geometric):
        squared = float(curator.squared_error(np.zeros(1))[0])
        return {**known, "ρ": curator.ratio, "2ρ / (1 − ρ)²": squared}
    if isinstance(curator, Stability):
        return {**known, "t": curator.threshold, "δ/4": curator.lone_release}
    return known


def _sensitivity(curator: Curator) -> Formula:
    neighbours = f"{curator.neighbours} neighbours"
    entry = Entry("sensitivity", "Δ", "DR 3.3", neighbours)
    return _row("What one person changes", "Δ", entry=entry, put=CHANGED[curator.neighbours])


def _accuracy(curator: Curator, users: int | None) -> Iterator[Formula]:
    """The error of a count, far above the threshold where there is one."""
    std, words = math.sqrt(float(curator.squared_error(_SURE)[0])), words_of(type(curator))
    spread = "√(2ρ)/(1 − ρ), ρ = e^(−1/s)" if isinstance(curator, Geometric) else "√2 s"
    best = theory.least_error(curator.domain_size, curator.epsilon)
    known = {
        "count_std": std, "accuracy": curator.accuracy(0.05), "delta": curator.delta,
        "neighbours": math.nan, "recommended": math.nan,
    }  # fmt: skip
    if users is not None:
        known["frequency_std"] = std / users
    rows = (
        listed("count_std", "count std", spread, words.error),
        listed("frequency_std", "frequency std", "count std / n", words.error),
        listed("accuracy", "off by at most", words.off_by, "PSI"),
        listed("neighbours", "", "", "", curator.neighbours),
        listed("delta", "", "", ""),
        listed("recommended", "", "", "", best),
    )
    yield from (row.at(known) for row in rows if row.key in known)


def _released(cell: Cell, curator: Curator, v: int) -> dict[str, float]:
    """The numbers of the release: of item v, and the squared error over all items."""
    n, holders = cell.users, cell.population.histogram[v : v + 1]
    moments = curator.moments(holders)
    assert moments is not None  # without fakes there is always a closed form
    known = {
        "n": Crowd(n),
        "cᵥ": int(holders[0]),
        "E[released count]": float(moments[0][0]),
        "Var[released count]": float(moments[1][0]),
    }
    if isinstance(curator, Stability):
        known["Pr[cᵥ + Lap(s) > t]"] = float(curator.released(holders)[0])
    expected = theory.expected_metrics(cell)["mse_clean"]
    if expected is None:
        return known
    squared = central_mse(curator, *cell.population.distinct) * n**2
    return {**known, "MSE": expected, "squared": squared}


def _attack(cell: Cell, curator: Curator, known: Numbers) -> Iterator[Formula]:
    gain = ADDED
    if isinstance(curator, Stability):
        expected = theory.expected_metrics(cell)
        after, before = expected["target_frequency"], expected["target_frequency_clean"]
        if after is not None and before is not None:
            gain = replace(RISES, numbers={"after": after, "before": before})
    title, beside = "Targets that one fake user supports", ", a fake user adds one count"
    yield from summed(cell, known, SUPPORTED, title, beside, gain)


def _gain_in_words(law: str) -> str:
    return f"β(S − f_T), S = {'r/d' if law == 'random' else '1'}"


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    yield "a trusted curator, no local protocol: there are no p and q"
    if has_gains(rows):
        yield "a fake user adds one count to one item, whatever the attack"
    if isinstance(setting.protocol, Stability):
        yield "of an item far above the threshold; what is withheld depends on the counts,"
        yield "and so does the gain: ldptui run has them on a population"
    yield "off by at most: a count, with probability 95 %; ldptui accuracy has more"
    entries = [rows[key].entry for key in TABLE if key in rows]
    sources = " ".join(entry.source for entry in entries if entry is not None).split()
    for letters in ("DR", "GRS", "V", "PSI", "CJG"):
        yield from cited({letters} & {*sources})


def _remark(setting: Setting) -> str:
    far = ", σ above the threshold" if isinstance(setting.protocol, Stability) else ""
    return f"s: scale of the noise{far}"


TABLE: Final = (
    "sensitivity", "scale", "threshold", "count_std", "frequency_std", "accuracy", *gain_keys()
)  # fmt: skip

STORY: Final = Story(
    _formulas,
    "a trusted curator gets no reports: users tell it their items as they are, a fake "
    "user any item, and noise is added once, to the counts",
    table=TABLE,
    fields=("neighbours", "sensitivity", "delta", "scale", "count_std", "threshold", "accuracy"),
    brief=("sensitivity", "scale", "threshold"),
    remark=_remark,
    symbols={"ε": "epsilon", "δ": "delta"},
    notes=_notes,
)
