"""Secure aggregation (Prio): the noise of the servers, and what a proof admits of a fake."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from ldptui.core.protocols.curators import SENSITIVITY
from ldptui.core.protocols.curators.aggregate import Aggregate

from .attack_formulas import ADDED, OF_PARTS, Supported, gain_keys, summed
from .citations import cited
from .family_explanation import Story
from .formula import Crowd, Entry, Formula, Numbers, listed, told
from .formula_inputs import Setting
from .pure_formulas import shown_item

CGB: Final = "Corrigan-Gibbs, Boneh 2017"
_row = partial(Formula, source="Balle, Wang 2018")
_by_prio = partial(Formula, source=CGB)

LAPLACE: Final = _row("Scale of the discrete Laplace noise of one server", "s = w Δ/ε",
                      put="{w} · {Δ} / {ε:5}", entry=Entry("scale", "s", "CGB"))  # fmt: skip
GAUSSIAN: Final = _row("Deviation of the discrete Gaussian noise of one server",
                       "s = √(w Δ) / x,  Φ(x/2 − ε/x) − e^ε Φ(−x/2 − ε/x) = δ",
                       put="w = {w}, Δ = {Δ}, ε = {ε:5}, δ = {δ:3}",
                       entry=Entry("scale", "s", "CGB"))  # fmt: skip
NOISE: Final = _by_prio("Variance of the noise of all servers", "Var = k Var₁",
                        put="{k} · {Var₁:5}")  # fmt: skip
RELEASE: Final = (
    _by_prio("Users who hold v", "cᵥ", put="added up in secret, no server sees them"),
    _by_prio("The estimate, on average", "E[f~ᵥ] = {cᵥ} / n"),
    _by_prio("Its standard deviation", "σᵥ = √{Var:5} / n"),
)

SUPPORTED: Final[Mapping[str, Mapping[str, Supported]]] = {
    "histogram": {"random": Supported("S = r/d", put="{r} / {d}"), "": Supported("S = 1")},
    "multihot": {
        "random": Supported("S = r w/d", put="{r} · {w} / {d}"),
        "honest": Supported("S = 1"),
        "": Supported("S = min(w, r)", put="at most {w} of {r}"),
    },
    "sumvec": {
        "random": Supported("S = r/2", put="{r} / 2"),
        "honest": Supported("S = 1"),
        "": Supported("S = r", put="{r}"),
    },
}
"""S by circuit and law."""


def _formulas(setting: Setting) -> Iterator[Formula]:
    """The noise of the servers, the release, and what fakes add whom a proof holds to a circuit."""
    sums: Aggregate = setting.protocol
    known, cell = _numbers(sums), setting.cell
    part = f"The noise of {sums.aggregators} servers"
    yield from told((GAUSSIAN if sums.noise_law == "gaussian" else LAPLACE, NOISE), known, part)
    std = math.sqrt(sums.noise_variance)
    errors = {"count_std": std}
    if setting.users is not None:
        errors["frequency_std"] = std / setting.users
    rows = (
        listed("count_std", "count std", "√Var", "CGB"),
        listed("frequency_std", "frequency std", "count std / n", "CGB"),
    )
    yield from (row.at(errors) for row in rows if row.key in errors)
    if cell is None:
        return
    v, what = shown_item(cell)
    held, n = int(cell.population.histogram[v]), cell.users
    here = {**known, "n": Crowd(n), "cᵥ": held, "E[f~ᵥ]": held / n, "σᵥ": std / n}
    yield from told(RELEASE, here, f"The release, for v = {cell.population.label(v)}, {what}")
    laws = {**SUPPORTED[sums.circuit], "avoided": Supported("S = 0"), "mixture": OF_PARTS}
    title, beside = "Targets that one fake user supports", f", held to the circuit {sums.circuit}"
    yield from summed(cell, known, laws, title, beside, ADDED)


def _numbers(sums: Aggregate) -> Numbers:
    return {
        "ε": sums.epsilon, "d": sums.domain_size, "δ": sums.slack or 0.0, "w": sums.held,
        "Δ": SENSITIVITY[sums.neighbours], "s": sums.scale, "k": sums.aggregators,
        "Var": sums.noise_variance, "Var₁": sums.noise_variance / sums.aggregators,
    }  # fmt: skip


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:  # noqa: ARG001
    yield "servers that add up in secret, no local protocol: there are no p and q"
    yield f"a fake sets up to {setting.protocol.admitted} items, as its proof says"
    yield from cited({"CGB", "CJG"})


STORY: Final = Story(
    _formulas,
    "nobody sees a report: clients send shares of a vector, servers add them up, and a proof "
    "says that the vector is one of the circuit's",
    table=("scale", "count_std", "frequency_std", *gain_keys()),
    fields=("scale", "count_std"),
    brief=("scale",),
    symbols={"ε": "epsilon", "δ": "delta"},
    notes=_notes,
)
