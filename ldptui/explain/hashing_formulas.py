"""Local hashing (BLH, OLH) and HST: the report is a hash function and a bucket, or a sign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.kernels.hashing import buckets, xxhash32
from ldptui.core.kernels.primes import UInts
from ldptui.core.law.pure import Reports
from ldptui.core.protocols import LocalHashing
from ldptui.core.protocols.hashing import matched_law
from ldptui.core.protocols.hst import UserCoins

from ..text import format as fmt
from .attack_formulas import HONEST, Laws, TargetSupport
from .family_explanation import FamilyExplanation
from .formula import Formula
from .formula_inputs import FormulaSetting
from .item_formulas import BITS, UNARY_LAWS, pad_numbers
from .pure_formulas import OTHER, OWN, VARIANCE, pure
from .report_explanation import ReportExplanation, bits_needed

_range = partial(
    Formula, "Hash range: the number of buckets", source="W17 4.4", key="hash_range", name="g"
)
_OPTIMUM: Final = "the optimum is e^ε + 1 = {e^ε + 1}"
RANGES: Final[Mapping[object, Formula]] = {
    "nearest": _range("g = integer nearest to e^ε + 1", put="nearest to {e^ε + 1}", number=17),
    "ceil": _range("g = ⌈e^ε + 1⌉", number=17),
    "floor": _range("g = ⌊e^ε + 1⌋", number=17),
    None: _range("g = 2, for every ε", put=f"2 for every ε; {_OPTIMUM}"),
}
"""g by the rule that a scenario names; None where g is 2 for every ε."""
GIVEN: Final = _range("g = as given", put=f"as given; {_OPTIMUM}", number=17)

_row = partial(Formula, source="W17 4.4")

HASHING: Final = (
    _row(OWN, "p = p′ = e^ε / (e^ε + g − 1)", key="p", number=16,
         put="{e^ε} / ({e^ε} + {g} − 1)"),
    _row("A given other bucket is sent", "q′ = 1 / (e^ε + g − 1)", number=15),
    _row(OTHER, "q = 1 / g", key="q", number=16),
    _row("Privacy budget from p′ and q′", "ε = ln(p′ / q′)", number=14),
)  # fmt: skip

UNIT: Final = replace(
    VARIANCE, text="Var*[c~ᵥ] / n = ({e^ε − 1} + g)² / ({(e^ε − 1)}² {(g − 1)})", number=18
)

LAWS: Final[Laws] = {
    "random": TargetSupport("S = r / g"),
    "honest": replace(HONEST, number=29),
    "unperturbed": TargetSupport("S = 1 + {(r − 1)} / g"),
    "crafted": TargetSupport("S = E[M]", 30, 30, put="{S:5}"),
    "subset": TargetSupport("S = E[M] of r′ targets + (r − r′) / g", put="{S:5}"),
    "avoided": TargetSupport("S = E[fewest targets in a bucket of K hashes]", put="{S:5}"),
}


def _hashing(setting: FormulaSetting) -> Iterator[Formula]:
    g = RANGES.get(setting.given.get("hash_range"), GIVEN)
    crafted = getattr(setting.attack, "report_law", "") == "crafted"
    matched = [_match_targets(setting.attack, setting.protocol, setting.r or 0)] if crafted else []
    yield from pure((g, *HASHING), LAWS, UNIT, matched, _numbers)(setting)


def _numbers(setting: FormulaSetting) -> dict[str, float]:
    g, p = setting.protocol.hash_range, setting.protocol.p
    return {"g": g, "p′": p, "q′": (1 - p) / (g - 1)}


def _match_targets(attack: Any, protocol: LocalHashing, r: int) -> Formula:
    """The formula of the targets that hash to one bucket of a crafted report."""
    law = matched_law(r, protocol.hash_range, attack.search)
    anchored = attack.scoring == "anchor"
    score = "1 + Bin(r − 1, 1/g) ≤ x" if anchored else "fullest of g buckets ≤ x"
    return Formula(
        "Targets in one bucket under the best of K seeds",
        f"E[M] = Σⱼ (1 − F(j − 1)^K), j = 1 … r,  F(x) = Pr[{score}]",
        "CJG section 3.5",
        number=30,
        put=f"Σⱼ (r = {r}, K = {fmt.count(attack.seeds)}, g = {protocol.hash_range})",
        numbers={"E[M]": float(law @ np.arange(r + 1))},
    )


# HST: one sign of a vector of fair coins, which the server draws or the user.

HST: Final = (
    Formula(OWN, "p = e^ε / (e^ε + 1)", "BS", "p"),
    Formula(OTHER, "q = 1/2", "BS", "q", put="1/2: a fair coin"),
    Formula("Privacy budget from p", "ε = ln[ p / (1 − p) ]", "BS"),
)
HALF: Final = Formula(
    "Padding of a crafted vector: half of all coins are 1", "l = ⌊d/2⌋ − r, at least 0", "LLWS"
)
"""The ones of a crafted vector besides those of the targets."""

PUBLIC: Final[Laws] = {
    **LAWS,
    "random": TargetSupport("S = r / 2"),
    "crafted": TargetSupport("S = E[max(M, r − M)],  M ~ Bin(r, 1/2)", put="{S:5}"),
    "avoided": TargetSupport("S = E[min(M, r − M)],  M ~ Bin(r, 1/2)", put="{S:5}"),
}
"""S with public coins."""

OWN_COINS: Final[Laws] = {**UNARY_LAWS, "unperturbed": TargetSupport("S = 1 + {(r − 1)} / 2")}
"""S where users draw the coins."""


def _hst(setting: FormulaSetting) -> Iterator[Formula]:
    if isinstance(setting.protocol, UserCoins):
        return pure(HST, OWN_COINS, crafting=(HALF,), own=pad_numbers)(setting)
    return pure(HST, PUBLIC, own=_numbers)(setting)


def _reports(cell: Cell) -> ReportExplanation:
    """The explanation of the reports: one bit for UserCoins, else a hash seed and a bucket."""
    return BITS if isinstance(cell.protocol, UserCoins) else HASHES


def _open_report(report: Reports) -> tuple[UInts, int]:
    """The seed, uint32[1], and the bucket of one report."""
    return report["seed"][:1].copy(), int(report["value"][0])


class HashReports(ReportExplanation):
    """Explains a report that is a hash seed and a bucket."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        g, (seed, _) = _hash_range(cell), _open_report(report)
        hashed = f"0x{int(xxhash32(np.array([item]), seed)[0]):08x}"
        bucket = int(buckets(np.array([item]), seed, g)[0])
        return (
            f"hashed to bucket {bucket} of {fmt.count(g)}",
            f"own random seed 0x{int(seed[0]):08x}",
            f"xxHash32 of {item} = {hashed}",
            f"⌊{hashed} · {g} / 2³²⌋ = {bucket}",
        )

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        seed, sent = _open_report(report)
        size = f"32 + {bits_needed(_hash_range(cell))}: seed and bucket"
        return f"seed 0x{int(seed[0]):08x}, bucket {sent}", size

    def server_numbers(self, cell: Cell, report: Reports) -> tuple[str, Counts] | None:
        """The bucket of every item under the seed of the report."""
        hashed = buckets(
            np.arange(cell.pure.domain_size), _open_report(report)[0], _hash_range(cell)
        )
        return "bucket", hashed.astype(np.int64)


def _hash_range(cell: Cell) -> int:
    protocol: Any = cell.protocol
    return int(protocol.hash_range)


HASHES: Final = HashReports()


def search_words(setting: FormulaSetting) -> Iterator[str]:
    """Yields the sentence about the search for hash seeds by crafted reports."""
    seeds, scoring = setting.search.seeds, setting.search.scoring
    yield f"E[M] = targets matched by the best of K = {seeds} seeds, scored by {scoring}"


EXPLANATIONS: Final = {
    "hashing": FamilyExplanation(_hashing, HASHES, attacked=search_words),
    "hst": FamilyExplanation(_hst, _reports),
}
