"""Trusted curators (Laplace, geometric, stability): noise is added once, to the counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.lab.locality import central_mse
from ldptui.core.protocols.curators import SENSITIVITY, Curator, Geometric, Laplace, Stability

from ..text.format import count, short
from .attack import compared, gain_keys
from .closed_forms import shown_item
from .formula import CJG, DIGITS, PAPERS, Entry, Formula, listed, numeric
from .setting import Setting
from .story import NOT_TOLD, Story
from .table import has_gains

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


def _formulas(setting: Setting) -> Iterator[Formula]:
    """Its noise, its error, and what fake users gain who add a count each."""
    curator: Curator = setting.protocol
    yield from _noise(curator)
    yield from _accuracy(curator, setting.users)
    if setting.cell is not None:
        yield from _release(setting.cell, curator)
        yield from _attack(setting.cell, curator)
    elif not isinstance(curator, Stability):
        yield from compared(setting, _gain_in_words)


def _gain_in_words(law: str) -> str:
    return f"β(S − f_T), S = {'r/d' if law == 'random' else '1'}"


def _noise(curator: Curator) -> Iterator[Formula]:
    live = partial(numeric, "The curator's noise")
    e, s = short(curator.epsilon, DIGITS), short(curator.scale, DIGITS)
    width = SENSITIVITY[curator.neighbours]
    how = {"change-one": "one row changed: a count less, a count more",
           "add-remove": "one row more or less: one count"}[curator.neighbours]  # fmt: skip
    neighbours = f"{curator.neighbours} neighbours"
    yield live("What one person changes", "Δ", how, width, DR,
               entry=Entry("sensitivity", "Δ", "DR 3.3", neighbours))  # fmt: skip
    yield live("Scale of the noise of one count", "s = Δ/ε", f"{width} / {e}", curator.scale, DR,
               entry=Entry("scale", "s", "DR 3.3"))  # fmt: skip
    if isinstance(curator, Geometric):
        ratio = short(curator.ratio, DIGITS)
        yield live("Each step away is so much less likely", "ρ = e^(−1/s)", f"e^(−1/{s})",
                   curator.ratio, GRS)  # fmt: skip
        yield live(
            "Variance of the noise", "2ρ / (1 − ρ)²", f"2 · {ratio} / (1 − {ratio})²",
            float(curator.squared_error(np.zeros(1))[0]), GRS,
        )  # fmt: skip
    else:
        yield live("Variance of the noise", "2 s²", f"2 · {s}²", 2 * curator.scale**2, DR)
    if isinstance(curator, Stability):
        delta = short(curator.delta, DIGITS)
        yield live(
            "Threshold: what is not above it is withheld", "t = s ln(2/δ) + 1",
            f"{s} · ln(2/{delta}) + 1", curator.threshold, VADHAN,
            entry=Entry("threshold", "threshold", "V th. 3.5"),
        )  # fmt: skip
        yield live(
            "An item that one user holds is released", "δ/4", f"{delta}/4",
            curator.lone_release, VADHAN,
        )  # fmt: skip


def _accuracy(curator: Curator, users: int | None) -> Iterator[Formula]:
    """The error of a count, far above the threshold where there is one."""
    std, source = math.sqrt(float(curator.squared_error(_SURE)[0])), words_of(type(curator)).error
    spread = "√(2ρ)/(1 − ρ), ρ = e^(−1/s)" if isinstance(curator, Geometric) else "√2 s"
    best = theory.least_error(curator.domain_size, curator.epsilon)
    yield listed("count_std", "count std", std, spread, source)
    if users is not None:
        yield listed("frequency_std", "frequency std", std / users, "count std / n", source)
    off_by = words_of(type(curator)).off_by
    yield listed("accuracy", "off by at most", curator.accuracy(0.05), off_by, "PSI")
    yield listed("neighbours", "", math.nan, "", "", field=curator.neighbours)
    yield listed("delta", "", curator.delta, "", "")
    yield listed("recommended", "", math.nan, "", "", field=best)


def _release(cell: Cell, curator: Curator) -> Iterator[Formula]:
    n, held, (v, what) = cell.users, cell.population.histogram, shown_item(cell)
    live = partial(numeric, f"The release, for v = {cell.population.label(v)}, {what}")
    n_, holders = count(n, 9), held[v : v + 1]
    moments = curator.moments(holders)
    assert moments is not None  # without fakes there is always a closed form
    mean, variance = float(moments[0][0]), float(moments[1][0])
    yield live("Users who hold v", "cᵥ", "counted, nothing hides them from the curator",
               int(holders[0]), DR)  # fmt: skip
    if isinstance(curator, Stability):
        yield live(
            "It is released", "Pr[cᵥ + Lap(s) > t]",
            f"Pr[Lap({short(curator.scale)}) > {short(curator.threshold - holders[0], DIGITS)}]",
            float(curator.released(holders)[0]), VADHAN,
        )  # fmt: skip
    yield live("The estimate, on average", "E[f~ᵥ] = E[released count] / n",
               f"{short(mean, DIGITS)} / {n_}", mean / n, DR)  # fmt: skip
    yield live(
        "Its standard deviation", "σᵥ = √Var[released count] / n",
        f"√{short(variance, DIGITS)} / {n_}", variance**0.5 / n, DR,
    )  # fmt: skip
    expected = theory.expected_metrics(cell)["mse_clean"]
    if expected is not None:
        errors = central_mse(curator, *cell.population.distinct) * n**2
        yield live(
            "Expected mean squared error without attack", "MSE = (1/d) Σᵥ E[(released − cᵥ)²] / n²",
            f"{short(errors, DIGITS)} / {n_}²", expected, DR,
        )  # fmt: skip


def _attack(cell: Cell, curator: Curator) -> Iterator[Formula]:
    supported = theory.fake_support(cell) if cell.attack is not None else None
    if cell.attack is None or supported is None:
        return
    n, m, r = cell.users, cell.malicious, int(cell.targets.size)
    live = partial(numeric, f"Attack: {cell.attack.kind.upper()}, a fake user adds one count")
    n_, m_ = count(n, 9), count(m, 9)
    hit = float(supported.rates[cell.targets].sum())
    b_, s_, f_ = (short(number, DIGITS) for number in (cell.share, hit, cell.target_frequency))
    yield live("Share of fake users", "β = m / (n + m)", f"{m_} / ({n_} + {m_})", cell.share, CJG)
    formula, put = {
        "random": ("S = r/d", f"{r} / {count(curator.domain_size)}"),
        "avoided": ("S = 0", "0"),
        "mixture": ("S = Σᵢ mᵢ Sᵢ / m, over the parts", s_),
    }.get(getattr(cell.attack, "report_law", "mixture"), ("S = 1", "1"))
    yield live("Targets that one fake user supports", formula, put, hit, CJG)
    expected = theory.expected_metrics(cell)
    gained = expected["gain"]
    if gained is None:
        return
    if isinstance(curator, Stability):
        yield live(
            "Gain: how much the targets' total rises",
            "G = E[Σ_T released] / (n + m) − the same without fakes / n",
            f"{short(expected['target_frequency'], DIGITS)} − "
            f"{short(expected['target_frequency_clean'], DIGITS)}", gained, VADHAN,
        )  # fmt: skip
    else:
        yield live(
            "Gain: the common formula with p = 1, q = 0", "G = β (S − f_T)",
            f"{b_} · ({s_} − {f_})", gained, CJG,
        )  # fmt: skip


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    yield "a trusted curator, no local protocol: there are no p and q"
    if has_gains(rows):
        yield "a fake user adds one count to one item, whatever the attack"
    if isinstance(setting.protocol, Stability):
        yield "of an item far above the threshold; what is withheld depends on the counts,"
        yield "and so does the gain: ldptui run has them on a population"
    yield "off by at most: a count, with probability 95 %; ldptui accuracy has more"
    entries = [rows[key].entry for key in TABLE if key in rows]
    sources = " ".join(entry.source for entry in entries if entry is not None)
    for letters in ("DR", "GRS", "V", "PSI", "CJG"):
        if f"{letters} " in f"{sources} ":
            yield f"{letters}: {PAPERS[letters]}"


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
