"""The formulas of a trusted curator with the current numbers put in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from core.cell import Cell
from core.lab.locality import central_mse
from core.protocols.curators import SENSITIVITY, Curator, Geometric, Stability
from core.theory import expected_metrics, fake_support

from ...text.format import count, short
from .formula import CJG, DIGITS, Live, numeric

DR: Final = "Dwork, Roth 2014"
GRS: Final = "Ghosh et al. 2009"
VADHAN: Final = "Vadhan 2017, theorem 3.5"


def curator_equations(cell: Cell, curator: Curator) -> tuple[Live, ...]:
    """Its noise, its error, and what fake users gain who add a count each."""
    return (*_noise(curator), *_error(cell, curator), *_attack(cell, curator))


def _noise(curator: Curator) -> Iterator[Live]:
    live = partial(numeric, "The curator's noise")
    e, s = short(curator.epsilon, DIGITS), short(curator.scale, DIGITS)
    width = SENSITIVITY[curator.neighbours]
    how = {"change-one": "one row changed: a count less, a count more",
           "add-remove": "one row more or less: one count"}[curator.neighbours]  # fmt: skip
    yield live("What one person changes", "Δ", how, width, DR)
    yield live("Scale of the noise of one count", "s = Δ/ε", f"{width} / {e}", curator.scale, DR)
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
        )  # fmt: skip
        yield live(
            "An item that one user holds is released", "δ/4", f"{delta}/4",
            curator.lone_release, VADHAN,
        )  # fmt: skip


def _error(cell: Cell, curator: Curator) -> Iterator[Live]:
    n, held = cell.users, cell.population.histogram
    v = int(cell.targets[0]) if cell.targets.size else int(held.argmax())
    what = "the first target" if cell.targets.size else "the most frequent item"
    live = partial(numeric, f"The release, for v = {cell.population.label(v)}, {what}")
    n_, own = count(n, 9), held[v : v + 1]
    moments = curator.moments(own)
    assert moments is not None  # without fakes there is always a closed form
    mean, variance = float(moments[0][0]), float(moments[1][0])
    yield live("Users who hold v", "cᵥ", "counted, nothing hides them from the curator",
               int(own[0]), DR)  # fmt: skip
    if isinstance(curator, Stability):
        yield live(
            "It is released", "Pr[cᵥ + Lap(s) > t]",
            f"Pr[Lap({short(curator.scale)}) > {short(curator.threshold - own[0], DIGITS)}]",
            float(curator.released(own)[0]), VADHAN,
        )  # fmt: skip
    yield live("The estimate, on average", "E[f~ᵥ] = E[released count] / n",
               f"{short(mean, DIGITS)} / {n_}", mean / n, DR)  # fmt: skip
    yield live(
        "Its standard deviation", "σᵥ = √Var[released count] / n",
        f"√{short(variance, DIGITS)} / {n_}", variance**0.5 / n, DR,
    )  # fmt: skip
    expected = expected_metrics(cell)["mse_clean"]
    if expected is not None:
        errors = central_mse(curator, *cell.population.distinct) * n**2
        yield live(
            "Expected mean squared error without attack", "MSE = (1/d) Σᵥ E[(released − cᵥ)²] / n²",
            f"{short(errors, DIGITS)} / {n_}²", expected, DR,
        )  # fmt: skip


def _attack(cell: Cell, curator: Curator) -> Iterator[Live]:
    if cell.attack is None:
        return
    n, m, r = cell.users, cell.malicious, int(cell.targets.size)
    live = partial(numeric, f"Attack: {cell.attack.kind.upper()}, a fake user adds one count")
    beta, held = cell.share, cell.target_frequency
    n_, m_ = count(n, 9), count(m, 9)
    supported = fake_support(cell)
    if supported is None:
        return
    hit = float(supported.rates[cell.targets].sum())
    b_, s_, f_ = (short(one, DIGITS) for one in (beta, hit, held))
    yield live("Share of fake users", "β = m / (n + m)", f"{m_} / ({n_} + {m_})", beta, CJG)
    formula, put = {
        "rpa": ("S = r/d", f"{r} / {count(curator.domain_size)}"),
        "demote": ("S = 0", "0"),
        "mix": ("S = Σᵢ mᵢ Sᵢ / m, over the parts", s_),
    }.get(cell.attack.kind, ("S = 1", "1"))
    yield live("Targets that one fake user supports", formula, put, hit, CJG)
    expected = expected_metrics(cell)
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
