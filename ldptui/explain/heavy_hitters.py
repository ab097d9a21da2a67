"""Heavy hitters: the levels of PEM, the estimates of a group, the survival of a prefix."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Any, Final, cast

import numpy as np

from ldptui.core.cell import Cell
from ldptui.core.law.pure import PureProtocol, item_variance
from ldptui.core.task import PEM, Hunt
from ldptui.core.task.hitters.expected import Estimates, ExpectedLevel
from ldptui.core.task.hitters.prefixes import candidate_counts, start_length

from ..text.format import count, percent, short
from .closed_forms import shown_item
from .formula import CJG, Crowd, Formula, Numbers, Plain, told
from .setting import Setting, bound
from .story import TaskStory

LEVELS: Final = "Levels"
ANSWER: Final = "Answer: levels multiplied as if independent, an approximation"
WLJ: Final = "Wang, Li, Jha 2019"
OURS: Final = "ours"
MOST_PREFIXES: Final = 2**32
"""Those that a protocol can be bound to; to one that is asked one by one they are all the same."""
SHOWN: Final = 8
"""Levels whose numbers are listed; of more the first ones and the last."""


def _task(cell: Cell) -> PEM:
    return cast("PEM", cell.task)


def _setting(cell: Cell, spec: Any = None) -> Setting:
    """The oracle of the last group, which is about the most prefixes, for the users of a group."""
    task = _task(cell)
    chosen = task.oracle if spec is None else spec
    task.bound(chosen, cell.population)
    settings = task.settings
    prefixes = min(2**settings.bits, MOST_PREFIXES)
    return bound(chosen, prefixes, users=max(1, round(cell.users / len(settings.lengths))))


def _remark(cell: Cell) -> str:
    """The groups, their users and their prefixes, in a line."""
    lengths = _task(cell).settings.lengths
    users = count(cell.users / len(lengths), 9)
    added = sorted({*_added(cell)})
    bits = f"{lengths[0]} to {lengths[-1]}" if lengths[0] < lengths[-1] else str(lengths[0])
    each = " or ".join(map(str, added)) if len(added) < 3 else f"{added[0]} to {added[-1]}"
    if len(lengths) == 1:
        return f"1 group of {users} users: {bits} bits"
    return f"{len(lengths)} groups of {users} users: {bits} bits, {each} a level"


def _added(cell: Cell) -> list[int]:
    """The bits that each level adds."""
    settings = _task(cell).settings
    return np.diff(settings.lengths, prepend=start_length(settings.k)).tolist()


_of_levels = partial(Formula, source=WLJ)
_of_estimate = partial(Formula, source=CJG)
_ours = partial(Formula, source=OURS)

START: Final = _of_levels(
    "Bits whose prefixes all are candidates before the first level", "c = ⌈log₂ k⌉"
)
GROUPS: Final = _of_levels("Groups, from the bits e that each level adds", "G = ⌈(γ − c) / e⌉")
LENGTHS: Final = _of_estimate(
    "Bits of the prefixes that group j reports, with the full ε", "λⱼ = c + ⌈j (γ − c) / G⌉",
    put="{c} + ⌈j · {γ − c} / {G}⌉, j = 1 … {G}",
)  # fmt: skip
EXTENDED: Final = replace(
    LENGTHS, text="λⱼ = min(c + j e, γ)", put="min({c} + j · {e}, {γ}), j = 1 … {G}"
)
CANDIDATES: Final = _of_levels(
    "Candidates, the most at level {level}: all extensions of the survivors before",
    "|Cⱼ| = |Rⱼ₋₁| 2^(λⱼ − λⱼ₋₁),  |R₀| = 2^c,  |Rⱼ| = min(k, |Cⱼ|)", put="{before} · 2^{added}",
)  # fmt: skip
USERS: Final = _of_estimate("Genuine users of a group, on average", "n / G")

PREFIX: Final = _of_estimate(
    "True frequency of its prefix x: of all items that begin so", "fₓ = Σ fᵢ", put="{fₓ:5}"
)
FAKES: Final = (
    _of_estimate("Fakes who choose this group", "mⱼ", put="{mⱼ:5}"),
    _of_estimate("Their share of the group", "βⱼ = mⱼ / (n/G + mⱼ)",
                 put="{mⱼ:6} / ({users:6} + {mⱼ:6})"),
    _of_estimate("Support of one fake for the prefix, on average", "sₓ, by the law of the attack",
                 put="{sₓ:5}"),
)  # fmt: skip
MOMENTS: Final = (
    _of_estimate("Its mean", "μₓ = (1 − βⱼ) fₓ + βⱼ (sₓ − q) / (p − q)",
                 put="(1 − {βⱼ}) · {fₓ} + {βⱼ} · ({sₓ} − {q}) / {p − q}"),
    _ours("Its variance: of reports, of the draw of the group's users, of the fakes",
          "σₓ² = (1−βⱼ)² (Var[f~ₓ] + fₓ(1−fₓ)(G−1)/n) + βⱼ Vₓ/((n/G + mⱼ)(p−q)²)",
          put="(1 − {βⱼ})² · ({held} + {drawn}) + {βⱼ} · {Vₓ} / ({users + mⱼ:6} · {p − q}²)"),
)  # fmt: skip

ALL_SURVIVE: Final = _ours("No more candidates than survive: all do", "Pⱼ", put="{C} ≤ k = {k}")
SURVIVAL: Final = (
    _ours("Threshold: the k-th largest estimate of the other candidates, its median",
          "τ: Σ w Φ((μ − τ) / σ) = k − ½, over the others, w how likely candidates",
          put="k = {k}, {candidates} candidates"),
    _ours("Its variance, as of a sample quantile", "Var τ = Σ P(1 − P) / (Σ φ)²",
          put="{scatter:5}"),
    _ours("Survival of the prefix at this level", "Pⱼ = Φ((μₓ − τ) / √(σₓ² + Var τ))",
          put="Φ(({μₓ} − {τ}) / √({variance} + {scatter}))"),
)  # fmt: skip
COARSER: Final = _ours(
    "Coarser: against τⱼ, the k-th largest true frequency of a prefix",
    "Pⱼ ≈ Φ((μₓ − (1 − βⱼ) τⱼ) / √(2 Var* G / (n + m)))",
    put="Φ(({μₓ} − {1 − βⱼ} · {τⱼ}) / √{noise})",
)  # fmt: skip
"""The closed form that takes the threshold from true frequencies."""


def _formulas(cell: Cell) -> Iterator[Formula]:
    hunt = _task(cell).hunt(cell)
    yield from _levels(cell)
    followed = _followed(cell, hunt)
    known = _numbers(cell, followed)
    yield from _estimate(cell, followed, known)
    yield from _survival(cell, hunt, followed, known)
    yield from _answer(cell, hunt, followed)


def _levels(cell: Cell) -> Iterator[Formula]:
    """The lengths, the candidates and the users of the groups."""
    settings = _task(cell).settings
    k, bits, lengths = settings.k, settings.bits, settings.lengths
    counts, added = candidate_counts(lengths, k), _added(cell)
    most, start = int(np.argmax(counts)), start_length(k)
    before = 2**start if most == 0 else min(k, counts[most - 1])
    known = {
        "k": Plain(k), "γ": Plain(bits), "G": Plain(len(lengths)), "c": Plain(start),
        "λⱼ": bits, "|Cⱼ|": counts[most], "before": Plain(before), "added": Plain(added[most]),
        "n": Crowd(cell.users),
    }  # fmt: skip
    if settings.extension is not None:
        known["e"] = Plain(settings.extension)
    shown = _listed([str(length) for length in lengths])
    extended = settings.extension is not None
    rows = (
        START,
        *((GROUPS,) if extended else ()),
        replace(EXTENDED if extended else LENGTHS, said=shown),
        replace(CANDIDATES, title=CANDIDATES.title.format(level=most + 1)),
        USERS,
    )
    yield from told(rows, known, LEVELS)


@dataclass(frozen=True, eq=False)
class _Followed:
    """An item that is followed up the levels.

    item : its number; name : which one it is, in words. chances : Pⱼ at each level.
    number : of the level where it is the least likely to survive, from 0; level : that level;
    place : of its prefix there. estimates : of that level. protocol : of the group.
    """

    item: int
    name: str
    chances: list[float]
    number: int
    level: ExpectedLevel
    place: int
    protocol: PureProtocol

    @property
    def estimates(self) -> Estimates:
        return self.level.estimates


def _followed(cell: Cell, hunt: Hunt) -> _Followed:
    item, what = shown_item(cell)
    _, levels = hunt.expected
    code = hunt.prefixes.codes[[item]]
    places = [
        int(np.searchsorted(level.held, hunt.prefixes.cut(code, level.number))[0])
        for level in hunt.prefixes.levels
    ]
    chances = [float(level.survival[at]) for level, at in zip(levels, places, strict=True)]
    number = int(np.argmin(chances))
    return _Followed(
        item,
        f"v = {cell.population.label(item)}, {what}",
        chances,
        number,
        levels[number],
        places[number],
        hunt.oracle.at(number),
    )


def _numbers(cell: Cell, followed: _Followed) -> dict[str, float]:
    """The numbers of the followed prefix at its hardest level."""
    estimates, at, protocol = followed.estimates, followed.place, followed.protocol
    level, groups = followed.level, len(followed.chances)
    f, beta, users = float(estimates.held[at]), estimates.share, estimates.users
    return {
        "p": protocol.p, "q": protocol.q, "fₓ": f, "βⱼ": beta, "users": users,
        "sₓ": float(estimates.rates[at]), "Vₓ": float(estimates.spreads[at]),
        "mⱼ": users * beta / (1 - beta), "μₓ": float(estimates.means[at]),
        "held": float(item_variance(protocol, users, f)),
        "drawn": f * (1 - f) * (groups - 1) / cell.users,
        "σₓ²": float(estimates.variances[at]), "variance": float(estimates.variances[at]),
        "τ": float(level.threshold.median[at]), "scatter": float(level.threshold.variance[at]),
        "Var τ": float(level.threshold.variance[at]), "Pⱼ": followed.chances[followed.number],
    }  # fmt: skip


def _estimate(cell: Cell, followed: _Followed, known: Numbers) -> Iterator[Formula]:
    """Mean and variance of the estimate of the prefix."""
    level = f"level {followed.number + 1} of {len(followed.chances)}"
    part = f"Estimate at {level}, the hardest for {followed.name}"
    yield PREFIX.at(known, part)
    if cell.attack is not None:
        fakes, *rest = FAKES
        if _task(cell).settings.group_choice == "server":
            fakes = replace(fakes, title="Fakes in the group, on average")
        yield from told((fakes, *rest), known, part)
    moments: tuple[Formula, ...] = MOMENTS
    if not known["βⱼ"]:  # no fakes, no numbers of fakes
        moments = tuple(replace(row, put=row.put.partition(" + {βⱼ}")[0]) for row in MOMENTS)
    yield from told(moments, known, part)


def _survival(cell: Cell, hunt: Hunt, followed: _Followed, known: Numbers) -> Iterator[Formula]:
    """The threshold that the prefix has to beat, and how likely it does."""
    k, number = _task(cell).settings.k, followed.number
    part = f"Survival at level {number + 1}, an approximation"
    candidates = candidate_counts(hunt.prefixes.lengths, k)[number]
    if not math.isfinite(known["τ"]):
        yield ALL_SURVIVE.at({"C": Plain(candidates), "k": Plain(k), "Pⱼ": 1.0}, part)
        return
    yield from told(SURVIVAL, {**known, "k": Plain(k), "candidates": candidates}, part)
    yield COARSER.at({**known, **_coarser(cell, followed, k)}, part)


def _coarser(cell: Cell, followed: _Followed, k: int) -> dict[str, float]:
    """The numbers of the coarser closed form."""
    estimates, groups = followed.estimates, len(followed.chances)
    ranked = np.sort(estimates.held[:-1])[::-1]
    fixed = float(ranked[k - 1]) if ranked.size >= k else 0.0
    unit = float(item_variance(followed.protocol, 1))
    noise = 2 * unit * groups / (cell.users + cell.malicious)
    mean = float(estimates.means[followed.place])
    chance = NormalDist().cdf((mean - (1 - estimates.share) * fixed) / math.sqrt(noise))
    return {"τⱼ": fixed, "noise": noise, "Pⱼ": chance}


def _answer(cell: Cell, hunt: Hunt, followed: _Followed) -> Iterator[Formula]:
    """The answer: of the item, and of all targets, or of the true hitters without an attack."""
    last = hunt.expected[1][-1].survived
    hitters = hunt.watched.items[hunt.watched.hitters]
    chances = " · ".join(_few([short(chance, 3) for chance in followed.chances]))
    yield _ours(f"Chance that {followed.name}, is named", "P = Πⱼ Pⱼ", put=chances).at(
        {"P": float(last[followed.item])}, ANSWER
    )
    groups = [("Targets named, on average", "Σ_T Πⱼ Pⱼ", cell.targets)] if cell.fakes else []
    for title, text, items in (*groups, ("True hitters named, on average", "Σ_H Πⱼ Pⱼ", hitters)):
        terms = " + ".join(_few([short(float(chance), 3) for chance in last[items]]))
        yield _ours(title, text, put=terms).at({text: float(last[items].sum())}, ANSWER)
    if hunt.weights is not None:
        yield _ours(
            "Shares of the fakes in the groups, which they choose: those that name most targets",
            "mⱼ / m: Σ_T Πⱼ Pⱼ is largest", put="by L-BFGS from two starts",
            said=_listed([percent(round(weight, 3)) for weight in hunt.weights]),
        ).at({"mⱼ / m": max(hunt.weights)}, ANSWER)  # fmt: skip


def _listed(words: list[str]) -> str:
    return ", ".join(_few(words))


def _few(words: list[str]) -> list[str]:
    return words if len(words) <= SHOWN + 2 else [*words[:SHOWN], "…", words[-1]]


TASK: Final = TaskStory(_setting, _formulas, _remark, "in a group")
