"""The proof that samples of a mechanism's reports give against its claim.

An audit looks for an event that one input makes likelier than another, and then bounds from below,
on fresh samples, the ε that is needed to explain it (Clopper, Pearson 1934; Ding, Wang, Wang,
Zhang, Kifer, "Detecting violations of differential privacy", CCS 2018; Jagielski, Ullman, Oprea,
NeurIPS 2020). A high bound refutes a claim; a low one proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ScenarioError
from ...base.proportions import clopper_pearson as clopper_pearson
from ...base.ranges import ALPHA, Range, require
from ...base.sampling import Floats
from ...law.pure import Reports, Rng
from .columns import BLOCK, ReportColumns, Sampler, drawn_reports, low_digits

Weights: TypeAlias = dict[tuple[int, int], Floats]
"""The weights of categories, by pairs of inputs."""

FEW_REPORTS: Final = 1024
"""The most reports that are told apart one by one; fewer from small samples."""


class Perturbs(Protocol):
    """A local protocol, as far as an audit needs it; a pure one's `supports` sharpens it."""

    def perturb(self, values: NDArray[np.int64], rng: Rng) -> Reports: ...


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    lower : the bound that ε reaches at least, with this confidence; 0 if nothing was found.
    estimate : ln of the ratio of the two shares seen (less δ), without a margin.
    first, second : the inputs; hits of `samples` reports of each were in the event.
    """

    claimed: float
    delta: float
    lower: float
    estimate: float
    confidence: float
    first: str
    second: str
    event: str
    first_hits: int
    second_hits: int
    samples: int

    @property
    def violated(self) -> bool:
        """True if the claim is refuted."""
        return self.lower > self.claimed


def epsilon_at_least(
    first: Any,
    second: Any,
    of: int,
    confidence: float,
    delta: float = 0.0,
    of_second: int | None = None,
) -> Floats:
    """The ε that hits prove: ln((p₁ - δ) / p₂) at the worst bounds; ≥ 0.

    first, second : hits of `of` reports, and of `of_second`, which are as many where it is None.
    """
    alpha = (1 - confidence) / 2
    low, _ = clopper_pearson(first, of, alpha)
    _, high = clopper_pearson(second, of if of_second is None else of_second, alpha)
    spare = np.maximum(low - delta, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(np.log(spare) - np.log(high), 0.0))


def audit(
    inputs: Sequence[tuple[str, Sampler]],
    claimed: float,
    rng: Rng,
    samples: int = 200_000,
    confidence: float = 0.999,
    delta: float = 0.0,
    look: Callable[[Any], NDArray[Any]] | None = None,
) -> Audit:
    """Look for the two inputs, and the event, that refute (claimed, δ)-privacy the most.

    Parameters
    ----------
    inputs : names and samplers of two inputs or more; every pair should be alike, both ways.
    samples : reports of each input. A quarter finds which values are telling, a quarter an event;
        the rest, of two inputs alone, decides: so that the bound is exact.
    look : columns [n, m] to look at besides the reports themselves.

    Raises ScenarioError for parameters out of range, RunError for a sampler that does not work.
    """
    require("confidence", confidence, ALPHA)
    require("samples", samples, Range(1000))
    if len(inputs) < 2:
        raise ScenarioError("must be two inputs or more", key="inputs")
    names = [name for name, _ in inputs]
    draws = [sampler for _, sampler in inputs]
    part = samples // 4
    first = [drawn_reports(draw, BLOCK, rng) for draw in draws]
    columns = ReportColumns.fitted(first, look, min(FEW_REPORTS, part // 32))
    tables: list[Any] = [sum(map(columns.table, _blocks(draw, part, rng))) for draw in draws]
    scores: Weights = {
        (a, b): columns.weights(tables[a], tables[b]) for a, b in permutations(range(len(draws)), 2)
    }
    seen: dict[int, dict[tuple[int, int], Floats]] = {}
    for at, draw in enumerate(draws):
        pairs = {pair: weights for pair, weights in scores.items() if at in pair}
        seen[at] = pair_scores(columns, _blocks(draw, part, rng), pairs)
    (a, b), threshold = most_telling(seen, scores, confidence, delta)
    fresh = samples - 2 * part
    chosen = {(a, b): scores[a, b]}
    hits = [
        int((pair_scores(columns, _blocks(draws[at], fresh, rng), chosen)[a, b] >= threshold).sum())
        for at in (a, b)
    ]
    lower = float(epsilon_at_least(hits[0], hits[1], fresh, confidence, delta))
    spare = hits[0] / fresh - delta
    estimate = 0.0
    if spare > 0:
        estimate = max(0.0, math.log(spare * fresh / hits[1])) if hits[1] else math.inf
    event = columns.describe(scores[a, b], threshold)
    return Audit(
        claimed,
        delta,
        lower,
        estimate,
        confidence,
        names[a],
        names[b],
        event,
        hits[0],
        hits[1],
        fresh,
    )


def audit_protocol(
    protocol: Perturbs,
    domain_size: int,
    claimed: float,
    rng: Rng,
    samples: int = 200_000,
    confidence: float = 0.999,
    delta: float = 0.0,
    digits: bool = False,
) -> Audit:
    """Audit a local protocol, or anything with `perturb(values, rng)`, on a few of its items.

    digits : whether the lowest digits of doubles are looked at; without, they are real numbers.
    """
    items = sorted({0, 1, domain_size // 2, domain_size - 1})

    def sampler(item: int) -> Sampler:
        return lambda count, rng: protocol.perturb(np.full(count, item, dtype=np.int64), rng)

    watched = np.array(items)
    look = look_of if digits else supports_of
    return audit(
        [(f"item {item}", sampler(item)) for item in items],
        claimed,
        rng,
        samples,
        confidence,
        delta,
        look(protocol, domain_size, watched),
    )


def look_of(
    protocol: object, domain_size: int, items: NDArray[np.int64]
) -> Callable[[Any], NDArray[Any]]:
    """What is looked at besides the reports: the items that they support, and low digits."""
    look = supports_of(protocol, domain_size, items)

    def seen(reports: Any) -> NDArray[Any]:
        cells = low_digits(np.asarray(reports))
        return cells if look is None else np.hstack([np.asarray(look(reports)), cells])

    return seen


def supports_of(
    protocol: object, domain_size: int, items: NDArray[np.int64]
) -> Callable[[Any], NDArray[Any]] | None:
    """A function that tells the audited items each report supports; None where that is slow."""
    look: Callable[..., Any] | None = getattr(protocol, "look", None)
    if look is not None:
        return lambda reports: look(reports, items)
    supports: Callable[[Any], Any] | None = getattr(protocol, "supports", None)
    if supports is None or domain_size > FEW_REPORTS:
        return None
    return lambda reports: supports(reports)[:, items]


def _blocks(draw: Sampler, count: int, rng: Rng) -> Iterator[Any]:
    """`count` reports, block by block."""
    for at in range(0, count, BLOCK):
        yield drawn_reports(draw, min(BLOCK, count - at), rng)


def pair_scores(
    columns: ReportColumns, blocks: Iterable[Any], weights: Weights
) -> dict[tuple[int, int], Floats]:
    """The scores of all reports of these blocks, by pairs of inputs."""
    seen = [columns.scores(reports, weights) for reports in blocks]
    empty = [np.zeros(0)]
    return {pair: np.concatenate([each[pair] for each in seen] or empty) for pair in weights}


def most_telling(
    seen: Mapping[int, Mapping[tuple[int, int], Floats]],
    pairs: Iterable[tuple[int, int]],
    confidence: float,
    delta: float = 0.0,
) -> tuple[tuple[int, int], float]:
    """The two inputs whose scores prove the largest ε, and the score above which they do."""
    best = (-math.inf, (0, 1), 0.0)
    for a, b in pairs:
        bound, threshold = best_threshold(seen[a][a, b], seen[b][a, b], confidence, delta)
        best = max(best, (bound, (a, b), threshold))
    return best[1:]


def best_threshold(
    first: Floats, second: Floats, confidence: float, delta: float
) -> tuple[float, float]:
    """The score above which the reports prove the largest ε, and that ε."""
    candidates = np.unique(np.concatenate([first, second]))
    if candidates.size > 400:
        candidates = np.unique(np.quantile(candidates, np.linspace(0, 1, 400)))
    hits = [
        scores.size - np.searchsorted(np.sort(scores), candidates, side="left")
        for scores in (first, second)
    ]
    bounds = epsilon_at_least(hits[0], hits[1], first.size, confidence, delta, second.size)
    at = int(bounds.argmax())
    return float(bounds[at]), float(candidates[at])
