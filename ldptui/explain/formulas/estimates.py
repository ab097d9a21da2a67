"""The estimates: unbiased, and how much they spread."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from core import theory
from core.cell import Cell
from core.protocols import GRR, LocalHashing, Unary
from core.pure import estimate, item_variance

from ...text.format import count, short
from .formula import CJG, DIGITS, FINE, W17, Live, numeric
from .protocol import is_oue, is_sue


def estimate_equations(cell: Cell) -> Iterator[Live]:
    protocol, n, d = cell.pure, cell.users, cell.pure.domain_size
    p, q, gap = protocol.p, protocol.q, protocol.p - protocol.q
    truth = cell.population.frequencies
    v = int(cell.targets[0]) if cell.targets.size else int(truth.argmax())
    f = float(truth[v])
    what = "the first target" if cell.targets.size else "the most frequent item"
    part = f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}"
    n_, q_, gap_ = count(n, 9), short(q), short(gap)
    left = 1 - p - q if abs(1 - p - q) > 1e-12 else 0.0  # SUE: exactly 0
    live = partial(numeric, part)

    mean = n * (f * gap + q)
    back = float(estimate(np.array([mean]), n, protocol)[0])
    yield live(
        "Reports that support v, on average", "E[Cᵥ] = n (fᵥ (p − q) + q)",
        f"{n_} · ({short(f)} · {gap_} + {q_})", mean, CJG, 5,
    )  # fmt: skip
    yield Live(
        "The estimate from that count: unbiased", "f~ᵥ = (Cᵥ/n − q) / (p − q)",
        f"({short(mean, FINE)} / {n_} − {short(q, FINE)}) / {short(gap, FINE)}",
        short(f, DIGITS), back, W17, 4, part,
    )  # fmt: skip
    unit = theory.count_variance(protocol)
    formula, put, number = unit_variance(cell)
    yield live(
        "Var* of a count, for one user", f"Var*[c~ᵥ] / n = {formula}", put, unit, W17, number
    )
    yield live(
        "Variance of the estimate of an item that nobody holds",
        "Var*[f~ᵥ] = q(1 − q) / (n (p − q)²)",
        f"{q_} · {short(1 - q)} / ({n_} · {gap_}²)",
        float(item_variance(protocol, n)), W17, 41,
    )  # fmt: skip
    spread = float(item_variance(protocol, n, f))
    yield live(
        "Variance of the estimate of v",
        "Var[f~ᵥ] = q(1 − q) / (n (p − q)²) + fᵥ (1 − p − q) / (n (p − q))",
        f"{q_} · {short(1 - q)} / ({n_} · {gap_}²) + {short(f)} · {factor(left)} / ({n_} · {gap_})",
        spread, W17, 40,
    )  # fmt: skip
    yield live(
        "Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]", f"√{short(spread)}",
        theory.frequency_std(protocol, n, f), W17, None,
    )  # fmt: skip
    mse = float(np.asarray(item_variance(protocol, n, truth)).mean())
    yield live(
        "Expected mean squared error without attack",
        "MSE = [ d q(1 − q) / (p − q)² + (1 − p − q) / (p − q) ] / (d n)",
        f"[ {count(d)} · {short(unit)} + {factor(left / gap)} ] / ({count(d)} · {n_})",
        mse, W17, None,
    )  # fmt: skip


def unit_variance(cell: Cell) -> tuple[str, str, int | None]:
    """Var*/n of a count in the protocol's own terms."""
    protocol = cell.pure
    e, d = math.exp(protocol.epsilon), protocol.domain_size
    if isinstance(protocol, GRR):
        return "(d − 2 + e^ε) / (e^ε − 1)²", f"({count(d)} − 2 + {short(e)}) / {short(e - 1)}²", 11
    if isinstance(protocol, Unary) and is_oue(protocol):
        return "4 e^ε / (e^ε − 1)²", f"4 · {short(e)} / {short(e - 1)}²", 13
    if isinstance(protocol, Unary) and is_sue(protocol):
        half = math.exp(protocol.epsilon / 2)
        return "e^(ε/2) / (e^(ε/2) − 1)²", f"{short(half)} / {short(half - 1)}²", None
    if isinstance(protocol, LocalHashing):
        g = protocol.hash_range
        return (
            "(e^ε − 1 + g)² / ((e^ε − 1)² (g − 1))",
            f"({short(e - 1)} + {g})² / ({short(e - 1)}² · {g - 1})",
            18,
        )
    p, q = protocol.p, protocol.q
    return "q(1 − q) / (p − q)²", f"{short(q)} · {short(1 - q)} / {short(p - q)}²", 41


def factor(value: float) -> str:
    """A number as a factor: in brackets where it is negative."""
    return f"({short(value)})" if value < 0 else short(value)
