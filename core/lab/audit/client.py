"""The audit of a client: a lower bound on ε, and agreement with a protocol.

A quarter of the reports finds what distinguishes each pair of items, a quarter the best event for
the best pairs, and the rest, of two items alone, bounds ε (Clopper, Pearson 1934; Ding, Wang, Wang,
Zhang, Kifer, "Detecting violations of differential privacy", CCS 2018; Jagielski, Ullman, Oprea,
NeurIPS 2020). A high bound refutes a claim; a low one proves nothing. The first quarter is compared
with as many honest reports of the protocol that the client claims to follow.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from ...base.errors import RunError, format_number
from ...base.proportions import clopper_pearson
from ...base.ranges import ALPHA, Range, require
from ...base.sampling import Floats
from ...law.pure import Items, LocalMechanism, Reports, Rng
from .report_columns import SAYS, Look, ReportColumns, low_digits, whole_values

WATCHED: Final = 64
"""Items of which every pair is looked at, at most."""
PAIRS: Final = 8
"""Pairs of items whose best event is looked for."""
RARE: Final = 20
"""Reports of both samples in a category of a chi-square, at least; rarer ones are joined."""
STARTED: Final = 1024
"""Reports of each of two fresh starts."""
CODES: Final = 1 << 22
"""Categories of reports that are held at once."""
BLOCK: Final = 8192
"""Reports that a client in Python makes at once."""
FEW_REPORTS: Final = 1024
"""The most reports that are told apart one by one; fewer from small samples."""
THRESHOLDS: Final = 400
"""Scores that are tried as the least one of an event, at most."""

Pair: TypeAlias = tuple[int, int]
"""The places of two items among those that are looked at."""


@dataclass(frozen=True, eq=False)
class Client:
    """A client implementation under audit.

    reports : a function of items int64[n] that yields blocks of their reports. pairs : the items
    and reports of a client that is a file. start : the function that returns the reports of a fresh
    start.
    """

    name: str
    reports: Callable[[Items, Rng], Iterator[Reports]] | None = None
    pairs: tuple[Items, Reports] | None = None
    start: Callable[[Items, Rng], Reports] | None = None


def report_blocks(
    name: str,
    perturb: Callable[[Items, Rng], Any],
    protocol: LocalMechanism | None,
    items: Items,
    rng: Rng,
) -> Iterator[Reports]:
    """Yields blocks of reports of a client in Python; raises RunError for reports that are not of
    `protocol` (None for any).
    """
    for at in range(0, len(items), BLOCK):
        some = items[at : at + BLOCK]
        try:
            reports = np.asarray(perturb(some, rng))
        except Exception as error:
            said = f"{type(error).__name__}: {error}".strip(": ")
            raise RunError(f"{name}: its perturb(values, rng) raised {said}") from error
        if reports.ndim == 0 or len(reports) != len(some) or reports.dtype == object:
            rule = f"must return an array of {len(some)} reports"
            raise RunError(f"{name}: its perturb(values, rng) {rule}, got shape {reports.shape}")
        try:
            yield reports if protocol is None else protocol.validate_reports(reports, len(some))
        except ValueError as error:
            raise RunError(f"{name}: its reports {error}") from error


@dataclass(frozen=True, eq=False)
class ClientClaim:
    """The claim of a client: ε and δ over d items, and the protocol that it follows, if any.

    protocol : the one that the client claims to follow, with which the reports are compared.
    looked : the object that says which items a report supports; None for the protocol. watched :
    the items to audit; None for all, or for WATCHED evenly spread ones. digits : whether the low
    digits of doubles are audited.
    """

    items: int
    epsilon: float
    protocol: LocalMechanism | None = None
    delta: float = 0.0
    looked: Any = None
    watched: Items | None = None
    digits: bool = True

    @property
    def places(self) -> Items:
        """int64[k]: the items whose reports are audited."""
        if self.watched is not None:
            return np.asarray(self.watched)
        return np.unique(np.linspace(0, self.items - 1, min(self.items, WATCHED)).astype(np.int64))

    def look(self) -> Look:
        """The function that returns the audited columns [n, k]: supported items, low digits."""
        observed: Any = self.looked or self.protocol
        items, ask = self.places, getattr(observed, "look", None)
        if ask is None and hasattr(observed, "supports") and self.items <= FEW_REPORTS:
            ask = lambda reports, items: observed.supports(reports)[:, items]  # noqa: E731

        def observe_reports(reports: Any) -> Any:
            parts = [] if ask is None else [np.asarray(ask(reports, items))]
            parts += [low_digits(np.asarray(reports))] if self.digits else []
            return np.hstack([np.empty((len(reports), 0), dtype=np.int16), *parts])

        return observe_reports


@dataclass(frozen=True)
class Effort:
    """The number of reports of a client, at least 1000, the confidence of verdicts, the seed."""

    samples: int
    confidence: float = 0.999
    seed: int = 0

    def __post_init__(self) -> None:
        require("samples", self.samples, Range(1000))
        require("confidence", self.confidence, ALPHA)


@dataclass(frozen=True)
class AuditReport:
    """The result of the audit of a client: verdicts and measured ε, with the evidence.

    is_broken : whether the claim is refuted. conforms : whether the reports agree with those of the
    claimed protocol; None without one. epsilon_low : the lower bound on ε: `event` occurred in
    `hits` of `of` reports of both `items`.
    p_value, farthest : of the comparison with the claimed protocol, and the part of a report that
    deviates most; None and "" without one. repeats : whether fresh starts send the same reports.
    """

    client: str
    is_broken: bool
    conforms: bool | None
    epsilon_low: float
    event: str
    items: tuple[int, int]
    hits: tuple[int, int]
    of: tuple[int, int]
    confidence: float
    samples: int
    p_value: float | None = None
    farthest: str = ""
    repeats: bool = False


def audit_client(
    client: Client, claim: ClientClaim, effort: Effort
) -> Generator[str, None, AuditReport]:
    """Audit a client: yields progress messages, and returns the result.

    Half of the error is that of the comparison; three quarters of the rest are the bound's. Raises
    RunError if the client fails or gives too few reports.
    """
    rng, protocol, watched = np.random.default_rng(effort.seed), claim.protocol, claim.places
    source = _Source(client, watched, effort.samples, rng)
    error = 1 - effort.confidence
    sure = 1 - error * 3 / 8

    blocks = source.blocks(0, np.arange(watched.size))
    some = next(blocks, None)
    if some is None:
        raise RunError(f"{client.name} has too few reports")
    few = min(FEW_REPORTS, effort.samples // 32 // watched.size)
    first = [some[1]] if protocol is None else [some[1], protocol.perturb(watched[some[0]], rng)]
    columns = ReportColumns.fit_columns(first, claim.look(), few)
    seen, expected = (np.zeros((watched.size, columns.width)) for _ in range(2))
    numbers = np.zeros(watched.size)
    for places, reports in itertools.chain([some], blocks):
        numbers += np.bincount(places, minlength=watched.size)
        _add_counts(seen, columns, places, reports)
        if protocol is not None:
            _add_counts(expected, columns, places, protocol.perturb(watched[places], rng))
        yield source.words
    p_value, farthest = None, ""
    if protocol is not None:
        p_value, farthest = _compare_columns(columns, seen, expected)

    weights = _telling_pairs(columns, seen, numbers)
    scores = source.scores(1, columns, weights)
    tried = list[tuple[float, Pair, float]]()
    for pair, (one, other) in scores.items():
        if one.size and other.size:
            bound, threshold = best_threshold(one, other, sure, claim.delta)
            tried.append((bound, pair, threshold))
    if not tried:
        raise RunError(f"{client.name} has too few reports of any two items")
    _, pair, threshold = max(tried)
    yield source.words
    last = source.scores(2, columns, {pair: weights[pair]})[pair]
    hits, of = [int((part >= threshold).sum()) for part in last], [part.size for part in last]
    low = 0.0
    if min(of):
        low = float(epsilon_at_least(hits[0], hits[1], of[0], sure, claim.delta, of[1]))
    repeats = client.start is not None and repeats_coins(client.start, watched.size, error / 8, rng)
    is_broken = low > claim.epsilon * (1 + 1e-9) or repeats
    return AuditReport(
        client.name, is_broken, None if p_value is None else p_value >= error / 2, low,
        columns.describe(weights[pair], threshold), (int(watched[pair[0]]), int(watched[pair[1]])),
        (hits[0], hits[1]), (of[0], of[1]), effort.confidence, source.drawn, p_value, farthest,
        repeats,
    )  # fmt: skip


def epsilon_at_least(
    first: Any, second: Any, of: int, confidence: float, delta: float, of_second: int
) -> Floats:
    """float64[…]: a lower bound on ε from an event in `first` of `of` reports of an item and
    `second` of `of_second` of another: ln((p₁ - δ)/p₂) at the worst bounds of p₁, p₂.
    """
    alpha = (1 - confidence) / 2
    low, _ = clopper_pearson(first, of, alpha)
    _, high = clopper_pearson(second, of_second, alpha)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(np.log(np.maximum(low - delta, 0.0)) - np.log(high), 0.0))


def best_threshold(
    first: Floats, second: Floats, confidence: float, delta: float
) -> tuple[float, float]:
    """The largest ε that the scores of two inputs prove by an event "score ≥ t", and that t."""
    candidates = np.unique(np.concatenate([first, second]))
    if candidates.size > THRESHOLDS:
        candidates = np.unique(np.quantile(candidates, np.linspace(0, 1, THRESHOLDS)))
    hits = [
        scores.size - np.searchsorted(np.sort(scores), candidates, side="left")
        for scores in (first, second)
    ]
    bounds = epsilon_at_least(hits[0], hits[1], first.size, confidence, delta, second.size)
    at = int(bounds.argmax())
    return float(bounds[at]), float(candidates[at])


@dataclass
class _Source:
    """Draws the reports of a client: a quarter, a quarter and a half; `drawn` says how many are."""

    client: Client
    watched: Items
    samples: int
    rng: Rng
    drawn: int = 0

    def __post_init__(self) -> None:
        if self.client.pairs is None:
            return
        items, _ = self.client.pairs
        self._order = self.rng.permutation(np.flatnonzero(np.isin(items, self.watched)))
        self.samples = self._order.size

    @property
    def words(self) -> str:
        of = f"{format_number(self.drawn)} of {format_number(self.samples)} reports"
        return f"{self.client.name}: {of}"

    def blocks(self, stage: int, wanted: Items) -> Iterator[tuple[Items, Reports]]:
        """Blocks of places among the watched items, and of reports; of these places alone."""
        start, end = ((0, 1, 2, 4)[at] * self.samples // 4 for at in (stage, stage + 1))
        if self.client.pairs is not None:
            items, reports = self.client.pairs
            rows = self._order[start:end]
            places = np.searchsorted(self.watched, items[rows])
            kept = np.isin(places, wanted)
            self.drawn += rows.size
            if kept.any():
                yield places[kept], reports[rows[kept]]
            return
        assert self.client.reports is not None
        size, step = end - start, 128 * BLOCK
        parts = (np.resize(wanted, min(step, size - at)) for at in range(0, size, step))
        places = np.concatenate([wanted[:0], *map(self.rng.permutation, parts)])
        done = 0
        for reports in self.client.reports(self.watched[places], self.rng):
            self.drawn += len(reports)
            yield places[done : done + len(reports)], reports
            done += len(reports)

    def scores(
        self, stage: int, columns: ReportColumns, weights: dict[Pair, Floats]
    ) -> dict[Pair, list[Floats]]:
        """The scores of the reports of both items of each pair."""
        seen: dict[Pair, tuple[list[Floats], list[Floats]]] = {pair: ([], []) for pair in weights}
        for places, reports in self.blocks(stage, np.unique([*weights])):
            scored = columns.scores(reports, weights)
            for pair, sides in seen.items():
                for at, side in zip(pair, sides, strict=True):
                    side.append(scored[pair][places == at])
        return {
            pair: [np.concatenate(side or [np.zeros(0)]) for side in sides]
            for pair, sides in seen.items()
        }


def _add_counts(table: Floats, columns: ReportColumns, places: Items, reports: Reports) -> None:
    """Add the categories of reports to a table[items, categories]."""
    step = max(64, CODES // len(columns.names))
    for at in range(0, len(places), step):
        rows, pieces = places[at : at + step], itertools.pairwise(columns.starts.tolist())
        codes = columns.codes(reports[at : at + step])
        for column, (start, end) in zip(codes, pieces, strict=True):
            cells = rows * (end - start) + column - start
            counts = np.bincount(cells, minlength=len(table) * (end - start))
            table[:, start:end] += counts.reshape(len(table), -1)


def _telling_pairs(columns: ReportColumns, seen: Floats, numbers: Floats) -> dict[Pair, Floats]:
    """The weights of the pairs of items that look the least alike."""
    pairs: list[tuple[float, tuple[int, int], Floats]] = []
    for a, b in itertools.permutations(np.flatnonzero(numbers).tolist(), 2):
        table = columns.weights(seen[a], seen[b], numbers[a] / numbers[b])
        gap = float((seen[a] / numbers[a] - seen[b] / numbers[b]) @ table)
        pairs.append((gap, (a, b), table))
        if len(pairs) > 4 * PAIRS:
            pairs = sorted(pairs, key=lambda each: -each[0])[:PAIRS]
    return {pair: table for _, pair, table in sorted(pairs, key=lambda each: -each[0])[:PAIRS]}


def _compare_columns(columns: ReportColumns, seen: Floats, expected: Floats) -> tuple[float, str]:
    """The p-value of the column that is farthest off, all columns paid for, and its name."""
    pieces = itertools.pairwise(columns.starts.tolist())
    tests = [
        (homogeneity(seen[:, start:end], expected[:, start:end]), name)
        for name, (start, end) in zip(columns.names, pieces, strict=True)
    ]
    own = [_own_counts(columns, table) for table in (seen, expected)]
    if own[0].size:
        tests.append((homogeneity(own[0], own[1]), "what reports say of their own item"))
    p_value, name = min(tests)
    return min(1.0, p_value * len(tests)), name


def _own_counts(columns: ReportColumns, table: Floats) -> Floats:
    """float64[1, k]: what reports say of their own items, all items together; [1, 0] if unlike."""
    said = [at for at, name in enumerate(columns.names) if name.startswith(SAYS)][: len(table)]
    values = [columns.values[at].tolist() for at in said]
    if len(said) < len(table) or any(each != values[0] for each in values):
        return np.empty((1, 0))
    pieces = [slice(*columns.starts[at : at + 2]) for at in said]
    own = [row[piece] for row, piece in zip(table, pieces, strict=True)]
    return np.asarray(np.sum(own, axis=0)[None])


def repeats_coins(
    start: Callable[[Items, Rng], Reports], count: int, error: float, rng: Rng
) -> bool:
    """Whether two fresh starts of a client with the same items send the same reports.

    start : the function that returns a fresh start's reports. count : the number of items. error :
    the probability of chance, at most, given how often reports of one item are equal within one
    start.
    """
    items = np.arange(STARTED) % count
    first, second = (whole_values(start(items, rng)) for _ in range(2))
    alike = int((first[:-count] == first[count:]).sum())
    most = float(clopper_pearson(alike, STARTED - count, error / 2)[1])
    return bool((first == second).all()) and STARTED * math.log(most) < math.log(error / 2)


def homogeneity(first: Floats, second: Floats) -> float:
    """The p-value of Pearson's chi-square test that the rows of two count tables float64[rows, k]
    have equal distributions.
    """
    from scipy.special import chdtrc

    rare = first + second < RARE
    pooled = [np.where(rare, table, 0.0).sum(axis=1, keepdims=True) for table in (first, second)]
    first, second = (
        np.hstack([np.where(rare, 0.0, table), rest])
        for table, rest in zip((first, second), pooled, strict=True)
    )
    both = first + second
    kept = both >= RARE / 2
    one, other = (np.where(kept, table, 0.0).sum(axis=1) for table in (first, second))
    usable = (one > 0) & (other > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(other / one)[:, None]
        terms = np.where(kept, (first * ratio - second / ratio) ** 2 / both, 0.0)
    freedom = int(np.maximum(kept[usable].sum(axis=1) - 1, 0).sum())
    return float(chdtrc(freedom, float(terms[usable].sum()))) if freedom else 1.0
