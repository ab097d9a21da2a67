"""Noise on counts: trusted curators (Laplace, geometric, stability), and aggregation (Prio)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.lab.locality import central_mse
from ldptui.core.protocols.curators import (
    SENSITIVITY,
    Curator,
    Geometric,
    Laplace,
    Stability,
)
from ldptui.core.protocols.curators.aggregate import Aggregate

from .attack_formulas import ADDED, Laws, TargetSupport, list_attack_formulas
from .family_explanation import NOT_TOLD, FamilyExplanation
from .formula import Formula, KnownNumbers, list_formula
from .formula_inputs import FormulaSetting
from .pure_formulas import RECOMMENDED, shown_item

_SURE: Final = np.full(1, 2**53)
"""The count of an item that is never withheld."""

TITLE: Final = "Targets that one fake user supports"
GAIN: Final = "G = β(S − f_T), S = targets that one fake user supports"


@dataclass(frozen=True)
class CuratorWords:
    """The formulas of a curator's error.

    error : the source of its squared error.
    off_by : the largest error of a count with probability 0.95, in terms of s.
    accuracy, needs : accuracy from ε and ε from accuracy, with {Δ} for the sensitivity.
    source : their source.
    exact : True if the probability α is attained; False if it is a bound, as for whole numbers and
        withheld bins.
    """

    error: str = NOT_TOLD
    off_by: str = NOT_TOLD
    accuracy: str = NOT_TOLD
    needs: str = NOT_TOLD
    source: str = NOT_TOLD
    exact: bool = False

    def formula(self, width: int, forward: bool) -> str:
        """The formula of accuracy from ε (`forward`), or of ε from accuracy, for a sensitivity
        `width`.
        """
        return (self.accuracy if forward else self.needs).replace("{Δ}", str(width))


_WORDS: Final[Mapping[type, CuratorWords]] = {
    Laplace: CuratorWords(
        "DR 3.3", "s ln(1/0.05)", "({Δ}/ε) ln(1/α)", "({Δ}/a) ln(1/α)", "PSI", exact=True
    ),
    Geometric: CuratorWords("GRS", "least whole a: 2ρ^(a+1)/(1 + ρ) ≤ 0.05",
                     "least a: 2r^(a+1)/(1+r) ≤ α", "likewise, r = e^(−ε/Δ)", "GRS"),
    Stability: CuratorWords("V th. 3.5", "s ln(1/0.05) + threshold", "({Δ}/ε) ln(2/(αδ)) + 1",
                     "{Δ} ln(2/(αδ))/(a − 1)", "PSI"),
}  # fmt: skip


def words_of(curator: type) -> CuratorWords:
    """The formulas of the error of a curator's class; for a class without formulas, a row that says
    so.
    """
    return _WORDS.get(curator, CuratorWords())


_row = partial(Formula, source="DR 3.3")
_by_vadhan = partial(Formula, source="V th. 3.5")

CHANGED: Final = {
    "change-one": "one row changed: a count less, a count more",
    "add-remove": "one row more or less: one count",
}
"""What one person changes, by which tables must look alike."""

SCALE: Final = _row("Scale of the noise of one count", "s = Δ/ε", key="scale", put="{Δ} / {ε:5}")
LAPLACE: Final = (_row("Variance of the noise", "2 {s:5}²"),)
GEOMETRIC: Final = (
    _row("Each step away is so much less likely", "ρ = e^(−1/s)", source="GRS", put="e^(−1/{s:5})"),
    _row("Variance of the noise", "2{ρ:5} / (1 − {ρ:5})²", source="GRS"),
)
THRESHOLD: Final = (
    *LAPLACE,
    _by_vadhan("Threshold: what is not above it is withheld", "t = {s:5} ln(2/{δ:5}) + 1",
               key="threshold", name="threshold"),
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

LAWS: Final[Laws] = {
    "random": TargetSupport("S = r/d", put="{r} / {d}"),
    "honest": TargetSupport("S = 1"),
    "avoided": TargetSupport("S = 0"),
    "": TargetSupport("S = 1"),
}


def _curator_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    """Yields the formulas of a curator's noise, its error, and the gain of fake users who add a
    count each.
    """
    curator, cell = cast("Curator", setting.protocol), setting.cell
    known = KnownNumbers(
        setting, δ=curator.delta, Δ=SENSITIVITY[curator.neighbours], s=curator.scale
    )
    known["sensitivity"] = known["Δ"]
    rows: tuple[Formula, ...] = LAPLACE
    gain: tuple[Formula, ...] = ADDED
    if isinstance(curator, Geometric):
        squared = float(curator.squared_error(np.zeros(1))[0])
        rows, more = GEOMETRIC, {"ρ": curator.ratio, "2ρ / (1 − ρ)²": squared}
        known |= more
    elif isinstance(curator, Stability):
        rows = THRESHOLD
        known |= {"t": curator.threshold, "δ/4": curator.lone_release}
    changed = _row(
        "What one person changes", f"Δ = {curator.neighbours} neighbours", key="sensitivity",
        put=CHANGED[curator.neighbours],
    )  # fmt: skip
    yield from known.fill((changed, SCALE, *rows), "The curator's noise")
    yield from _accuracy(known, curator)
    if cell is not None:
        v, what = shown_item(cell)
        known |= _expect_release(cell, curator, v)
        part = f"The release, for v = {cell.population.label(v)}, {what}"
        yield from known.fill(RELEASE, part)
        if isinstance(curator, Stability):
            expected = theory.expected_metrics(cell)
            after, before = expected["target_frequency"], expected["target_frequency_clean"]
            if after is not None and before is not None:
                gain = (replace(RISES, numbers={"after": after, "before": before}),)
    elif isinstance(curator, Stability):
        return
    yield from list_attack_formulas(
        known, LAWS, gain=gain, title=TITLE, beside=", a fake user adds one count"
    )


def _accuracy(known: KnownNumbers, curator: Curator) -> Iterator[Formula]:
    """Yields the error of a count, far above the threshold if there is one."""
    std, words = math.sqrt(float(curator.squared_error(_SURE)[0])), words_of(type(curator))
    spread = "√(2ρ)/(1 − ρ), ρ = e^(−1/s)" if isinstance(curator, Geometric) else "√2 s"
    best = theory.least_error(curator.domain_size, curator.epsilon)
    known |= {"count_std": std, "accuracy": curator.accuracy(0.05)}
    if "n" in known:
        known["frequency_std"] = std / known["n"]
    yield from known.fill((
        list_formula("count_std", "count std", spread, words.error),
        list_formula("frequency_std", "frequency std", "count std / n", words.error),
        list_formula("accuracy", "off by at most", words.off_by, "PSI"),
        replace(list_formula("neighbours", "", "", ""), said=curator.neighbours),
        list_formula("delta", "", "", ""),
        replace(RECOMMENDED, said=best),
    ))  # fmt: skip


def _expect_release(cell: Cell, curator: Curator, v: int) -> dict[str, float]:
    """The numbers of the release by name: of item v, and the squared error over all items."""
    n, holders = cell.users, cell.population.histogram[v : v + 1]
    moments = curator.moments(holders)
    assert moments is not None  # without fakes there is always a closed form
    known = {
        "n": n, "cᵥ": int(holders[0]),
        "E[released count]": float(moments[0][0]), "Var[released count]": float(moments[1][0]),
    }  # fmt: skip
    if isinstance(curator, Stability):
        known["Pr[cᵥ + Lap(s) > t]"] = float(curator.release_chances(holders)[0])
    expected = theory.expected_metrics(cell)["mse_clean"]
    if expected is None:
        return known
    squared = central_mse(curator, *cell.population.distinct) * n**2
    return {**known, "MSE": expected, "squared": squared}


def _curator_notes(setting: FormulaSetting) -> Iterator[str]:
    yield "a trusted curator, no local protocol: there are no p and q"
    if isinstance(setting.protocol, Stability):
        yield "of an item far above the threshold; what is withheld depends on the counts,"
        yield "and so does the gain: ldptui run has them on a population"
    yield "off by at most: a count, with probability 95 %; ldptui accuracy has more"


def _remark(setting: FormulaSetting) -> str:
    far = ", σ above the threshold" if isinstance(setting.protocol, Stability) else ""
    return f"s: scale of the noise{far}"


# Secure aggregation (Prio): the noise of the servers, and what a proof admits of a fake.

_by_prio = partial(Formula, source="CGB")
_scale = partial(Formula, source="BW", key="scale")

OF_SERVERS: Final = {
    "laplace": _scale("Scale of the discrete Laplace noise of one server", "s = w Δ/ε",
                      put="{w} · {Δ} / {ε:5}"),
    "gaussian": _scale("Deviation of the discrete Gaussian noise of one server",
                       "s = √(w Δ) / x,  Φ(x/2 − ε/x) − e^ε Φ(−x/2 − ε/x) = δ",
                       put="w = {w}, Δ = {Δ}, ε = {ε:5}, δ = {δ:3}"),
}  # fmt: skip
AGGREGATED: Final = (
    _by_prio("Variance of the noise of all servers", "Var = k Var₁", put="{k} · {Var₁:5}"),
    list_formula("count_std", "count std", "√Var", "CGB"),
    list_formula("frequency_std", "frequency std", "count std / n", "CGB"),
)
SUMS: Final = (
    _by_prio("Users who hold v", "cᵥ", put="added up in secret, no server sees them"),
    _by_prio("The estimate, on average", "E[f~ᵥ] = {cᵥ} / n"),
    _by_prio("Its standard deviation", "σᵥ = √{Var:5} / n"),
)
CIRCUITS: Final[Mapping[str, Laws]] = {
    "histogram": {"random": TargetSupport("S = r/d", put="{r} / {d}"), "": TargetSupport("S = 1")},
    "multihot": {
        "random": TargetSupport("S = r w/d", put="{r} · {w} / {d}"),
        "honest": TargetSupport("S = 1"),
        "": TargetSupport("S = min(w, r)", put="at most {w} of {r}"),
    },
    "sumvec": {
        "random": TargetSupport("S = r/2", put="{r} / 2"),
        "honest": TargetSupport("S = 1"),
        "": TargetSupport("S = r", put="{r}"),
    },
}
"""S by circuit and law."""


def _aggregate_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    """Yields the noise of the servers, the release, and the gain of fakes whose proof admits few
    items.
    """
    sums, cell = cast("Aggregate", setting.protocol), setting.cell
    variance = sums.noise_variance
    known = KnownNumbers(
        setting, δ=sums.slack or 0.0, w=sums.honest_items,
        Δ=SENSITIVITY[sums.neighbours], s=sums.scale,
        k=sums.aggregators, count_std=math.sqrt(variance),
    )  # fmt: skip
    known |= {"Var": variance, "Var₁": variance / sums.aggregators}
    if setting.users is not None:
        known["frequency_std"] = known["count_std"] / setting.users
    rows = (OF_SERVERS[sums.noise_law], *AGGREGATED)
    yield from known.fill(rows, f"The noise of {sums.aggregators} servers")
    if cell is None:
        return
    v, what = shown_item(cell)
    held, n = int(cell.population.histogram[v]), cell.users
    known |= {"n": n, "cᵥ": held, "E[f~ᵥ]": held / n, "σᵥ": known["count_std"] / n}
    yield from known.fill(SUMS, f"The release, for v = {cell.population.label(v)}, {what}")
    laws = {"avoided": TargetSupport("S = 0"), **CIRCUITS[sums.circuit]}
    beside = f", held to the circuit {sums.circuit}"
    yield from list_attack_formulas(known, laws, gain=ADDED, title=TITLE, beside=beside)


EXPLANATIONS: Final = {
    "curators": FamilyExplanation(
        _curator_formulas,
        "a trusted curator gets no reports: users tell it their items as they are, a fake "
        "user any item, and noise is added once, to the counts",
        remark=_remark,
        symbols={"ε": "epsilon", "δ": "delta"},
        notes=_curator_notes,
        gain=GAIN,
    ),
    "aggregated": FamilyExplanation(
        _aggregate_formulas,
        "nobody sees a report: clients send shares of a vector, servers add them up, and a proof "
        "says that the vector is one of the circuit's",
        symbols={"ε": "epsilon", "δ": "delta"},
        notes=lambda setting: (
            "servers that add up in secret, no local protocol: there are no p and q",
            f"a fake sets up to {setting.protocol.item_limit} items, as its proof says",
        ),
        gain=GAIN,
    ),
}
