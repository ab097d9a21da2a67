"""Heavy hitters: the levels of PEM, the estimates of a group, the survival of a prefix."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any, Final, cast

import numpy as np

from ldptui.core.cell import Cell
from ldptui.core.law.pure import PureProtocol, item_variance
from ldptui.core.task import PEM, Hunt
from ldptui.core.task.hitters.expected import Estimates, ExpectedLevel
from ldptui.core.task.hitters.levels import candidate_counts, start_length

from ..text.format import count, percent, short
from .closed_forms import shown_item
from .formula import CJG, DIGITS, Formula, numeric
from .setting import Setting, bound
from .tasks import TaskStory

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


def _formulas(cell: Cell) -> Iterator[Formula]:
    hunt = _task(cell).hunt(cell)
    yield from _levels(cell)
    followed = _followed(cell, hunt)
    yield from _estimate(cell, followed)
    yield from _survival(cell, hunt, followed)
    yield from _answer(cell, hunt, followed)


def _levels(cell: Cell) -> Iterator[Formula]:
    """The lengths, the candidates and the users of the groups."""
    settings = _task(cell).settings
    k, bits, lengths = settings.k, settings.bits, settings.lengths
    groups, start = len(lengths), start_length(k)
    live = partial(numeric, LEVELS)
    yield live(
        "Bits whose prefixes all are candidates before the first level", "c = ⌈log₂ k⌉",
        f"⌈log₂ {k}⌉", start, WLJ,
    )  # fmt: skip
    if settings.extension is None:
        formula, put = "λⱼ = c + ⌈j (γ − c) / G⌉", f"{start} + ⌈j · {bits - start} / {groups}⌉"
    else:
        e = settings.extension
        formula, put = "λⱼ = min(c + j e, γ)", f"min({start} + j · {e}, {bits})"
        yield live(
            "Groups, from the bits e that each level adds", "G = ⌈(γ − c) / e⌉",
            f"⌈({bits} − {start}) / {e}⌉", groups, WLJ,
        )  # fmt: skip
    yield Formula(
        "Bits of the prefixes that group j reports, with the full ε", formula,
        f"{put}, j = 1 … {groups}", _listed([str(length) for length in lengths]), bits, CJG,
        None, LEVELS,
    )  # fmt: skip
    counts, added = candidate_counts(lengths, k), _added(cell)
    most = int(np.argmax(counts))
    before = 2**start if most == 0 else min(k, counts[most - 1])
    yield live(
        f"Candidates, the most at level {most + 1}: all extensions of the survivors before",
        "|Cⱼ| = |Rⱼ₋₁| 2^(λⱼ − λⱼ₋₁),  |R₀| = 2^c,  |Rⱼ| = min(k, |Cⱼ|)",
        f"{before} · 2^{added[most]}", counts[most], WLJ,
    )  # fmt: skip
    yield live(
        "Genuine users of a group, on average", "n / G", f"{count(cell.users, 9)} / {groups}",
        cell.users / groups, CJG,
    )  # fmt: skip


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


def _estimate(cell: Cell, followed: _Followed) -> Iterator[Formula]:
    """Mean and variance of the estimate of the prefix."""
    estimates, at, protocol = followed.estimates, followed.place, followed.protocol
    groups, n = len(followed.chances), cell.users
    q, gap, users = protocol.q, protocol.p - protocol.q, estimates.users
    f, beta, s = float(estimates.held[at]), estimates.share, float(estimates.rates[at])
    fakes = users * beta / (1 - beta)
    level = f"level {followed.number + 1} of {groups}"
    part = f"Estimate at {level}, the hardest for {followed.name}"
    live = partial(numeric, part)
    yield live(
        "True frequency of its prefix x: of all items that begin so", "fₓ = Σ fᵢ",
        f"{short(f, DIGITS)}", f, CJG,
    )  # fmt: skip
    if cell.attack is not None:
        yield live(
            "Fakes in the group, on average" if cell.task.settings.group_choice == "server"  # type: ignore[attr-defined]
            else "Fakes who choose this group",
            "mⱼ", short(fakes, DIGITS), fakes, CJG,
        )  # fmt: skip
        yield live(
            "Their share of the group", "βⱼ = mⱼ / (n/G + mⱼ)",
            f"{short(fakes, 6)} / ({short(users, 6)} + {short(fakes, 6)})", beta, CJG,
        )  # fmt: skip
        yield live(
            "Support of one fake for the prefix, on average", "sₓ, by the law of the attack",
            short(s, DIGITS), s, CJG,
        )  # fmt: skip
    b_, f_, s_, q_, gap_ = map(short, (beta, f, s, q, gap))
    lifted = f" + {b_} · ({s_} − {q_}) / {gap_}" if beta else ""
    yield live(
        "Its mean", "μₓ = (1 − βⱼ) fₓ + βⱼ (sₓ − q) / (p − q)",
        f"(1 − {b_}) · {f_}{lifted}", float(estimates.means[at]), CJG,
    )  # fmt: skip
    held, spread = float(item_variance(protocol, users, f)), float(estimates.spreads[at])
    drawn = f * (1 - f) * (groups - 1) / n
    put = f"(1 − {b_})² · ({short(held)} + {short(drawn)})"
    if beta:
        put += f" + {b_} · {short(spread)} / ({short(users + fakes, 6)} · {gap_}²)"
    yield live(
        "Its variance: of reports, of the draw of the group's users, of the fakes",
        "σₓ² = (1−βⱼ)² (Var[f~ₓ] + fₓ(1−fₓ)(G−1)/n) + βⱼ Vₓ/((n/G + mⱼ)(p−q)²)",
        put, float(estimates.variances[at]), OURS,
    )  # fmt: skip


def _survival(cell: Cell, hunt: Hunt, followed: _Followed) -> Iterator[Formula]:
    """The threshold that the prefix has to beat, and how likely it does."""
    level, at, k = followed.level, followed.place, _task(cell).settings.k
    estimates, threshold = level.estimates, level.threshold
    mean, variance = float(estimates.means[at]), float(estimates.variances[at])
    median, scatter = float(threshold.median[at]), float(threshold.variance[at])
    part = f"Survival at level {followed.number + 1}, an approximation"
    live = partial(numeric, part, source=OURS)
    candidates = candidate_counts(hunt.prefixes.lengths, k)[followed.number]
    if not math.isfinite(median):
        yield live("No more candidates than survive: all do", "Pⱼ", f"{candidates} ≤ k = {k}", 1.0)
        return
    yield live(
        "Threshold: the k-th largest estimate of the other candidates, its median",
        "τ: Σ w Φ((μ − τ) / σ) = k − ½, over the others, w how likely candidates",
        f"k = {k}, {count(candidates)} candidates", median,
    )  # fmt: skip
    yield live(
        "Its variance, as of a sample quantile", "Var τ = Σ P(1 − P) / (Σ φ)²",
        short(scatter, DIGITS), scatter,
    )  # fmt: skip
    yield live(
        "Survival of the prefix at this level", "Pⱼ = Φ((μₓ − τ) / √(σₓ² + Var τ))",
        f"Φ(({short(mean)} − {short(median)}) / √({short(variance)} + {short(scatter)}))",
        followed.chances[followed.number],
    )  # fmt: skip
    yield _usual(cell, followed, part)


def _usual(cell: Cell, followed: _Followed, part: str) -> Formula:
    """The coarser closed form, which takes the threshold from true frequencies."""
    estimates, at = followed.estimates, followed.place
    k, groups = _task(cell).settings.k, len(followed.chances)
    protocol = followed.protocol
    ranked = np.sort(estimates.held[:-1])[::-1]
    fixed = float(ranked[k - 1]) if ranked.size >= k else 0.0
    noise = 2 * float(item_variance(protocol, 1)) * groups / (cell.users + cell.malicious)
    mean, beta = float(estimates.means[at]), estimates.share
    chance = NormalDist().cdf((mean - (1 - beta) * fixed) / math.sqrt(noise))
    return numeric(
        part, "Coarser: against τⱼ, the k-th largest true frequency of a prefix",
        "Pⱼ ≈ Φ((μₓ − (1 − βⱼ) τⱼ) / √(2 Var* G / (n + m)))",
        f"Φ(({short(mean)} − {short(1 - beta)} · {short(fixed)}) / √{short(noise)})",
        chance, OURS,
    )  # fmt: skip


def _answer(cell: Cell, hunt: Hunt, followed: _Followed) -> Iterator[Formula]:
    """The answer: of the item, and of all targets, or of the true hitters without an attack."""
    live = partial(numeric, ANSWER, source=OURS)
    last = hunt.expected[1][-1].survived
    yield live(
        f"Chance that {followed.name}, is named", "P = Πⱼ Pⱼ",
        " · ".join(_few([short(chance, 3) for chance in followed.chances])),
        float(last[followed.item]),
    )  # fmt: skip
    hitters = hunt.watched.items[hunt.watched.hitters]
    groups = [("Targets named, on average", "Σ_T Πⱼ Pⱼ", cell.targets)] if cell.fakes else []
    for title, formula, items in (
        *groups, ("True hitters named, on average", "Σ_H Πⱼ Pⱼ", hitters)
    ):  # fmt: skip
        chances = [short(float(chance), 3) for chance in last[items]]
        yield live(title, formula, " + ".join(_few(chances)), float(last[items].sum()))
    if hunt.weights is not None:
        yield Formula(
            "Shares of the fakes in the groups, which they choose: those that name most targets",
            "mⱼ / m: Σ_T Πⱼ Pⱼ is largest", "by L-BFGS from two starts",
            _listed([percent(round(weight, 3)) for weight in hunt.weights]),
            max(hunt.weights), OURS, None, ANSWER,
        )  # fmt: skip


def _listed(words: list[str]) -> str:
    return ", ".join(_few(words))


def _few(words: list[str]) -> list[str]:
    return words if len(words) <= SHOWN + 2 else [*words[:SHOWN], "…", words[-1]]


TASK: Final = TaskStory(_setting, _formulas, _remark, "in a group")
