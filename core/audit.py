"""Whether a mechanism is as private as it claims: by enumeration, or by a Monte-Carlo audit.

`check` goes through every report and every pair of inputs: a proof. `audit` sees samples alone: it
looks for an event that one input makes likelier than another, and then bounds from below, on fresh
samples, the ε that is needed to explain it (Clopper, Pearson 1934; Ding, Wang, Wang, Zhang, Kifer,
"Detecting violations of differential privacy", CCS 2018; Jagielski, Ullman, Oprea, NeurIPS 2020).
A high bound refutes a claim; a low one proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .central import Geometric
from .errors import RunError, ScenarioError
from .hashing import buckets
from .protocols import GRR, LocalHashing, Rappor, Unary
from .pure import Reports, Rng
from .sampling import Floats

# Enumeration.

CELLS: Final = 1 << 22
"""Probabilities of a law at most: 32 MB of doubles, well under a second."""


@dataclass(frozen=True, eq=False)
class ReportLaw:
    """Pr[y | v]: float64[inputs, reports], with a name for each input and each report."""

    probabilities: Floats
    input_name: Callable[[int], str]
    report_name: Callable[[int], str]


@dataclass(frozen=True)
class Check:
    """What enumeration found.

    claimed, epsilon : as promised, and ln of the largest ratio Pr[y|first] / Pr[y|second].
    first, second, report : where it is reached; with the two probabilities.
    inputs, reports : how many there are.
    """

    claimed: float
    epsilon: float
    first: str
    second: str
    report: str
    first_probability: float
    second_probability: float
    inputs: int
    reports: int

    @property
    def holds(self) -> bool:
        """Whether no ratio exceeds e^ε, to rounding."""
        return self.epsilon <= self.claimed + 1e-9 * max(1.0, self.claimed)

    @property
    def tight(self) -> bool:
        """Whether the claim is reached."""
        return self.holds and self.epsilon >= self.claimed - 1e-9 * max(1.0, self.claimed)


def law_of(mechanism: object) -> ReportLaw | None:
    """The law of every report, where there are few enough of them; None where there are not.

    Local hashing is enumerated over all functions from items to buckets, as an ideal hash family
    draws them; RAPPOR over all cohorts and all Bloom filters; the geometric mechanism over all
    pairs of counts, those far out taken together.
    """
    match mechanism:
        case GRR():
            return _direct(mechanism)
        case Unary():
            return _unary(mechanism)
        case LocalHashing():
            return _hashing(mechanism)
        case Rappor():
            return _bloom(mechanism)
        case Geometric():
            return _geometric(mechanism)
    return None


def _direct(protocol: GRR) -> ReportLaw | None:
    d = protocol.domain_size
    if d * d > CELLS:
        return None
    law = np.full((d, d), protocol.q)
    np.fill_diagonal(law, protocol.p)
    return ReportLaw(law, _item, _item)


def _unary(protocol: Unary) -> ReportLaw | None:
    d = protocol.domain_size
    if d > 20 or d << d > CELLS:
        return None
    rates = np.full((d, d), protocol.q)
    np.fill_diagonal(rates, protocol.p)
    return ReportLaw(_independent_bits(rates), _item, lambda y: f"bits {_bits(y, d)}")


def _hashing(protocol: LocalHashing) -> ReportLaw | None:
    d, g = protocol.domain_size, protocol.hash_range
    if d * math.log(g) > 40 or d * g * g**d > CELLS:
        return None
    functions = np.indices((g,) * d).reshape(d, -1)  # [item, function]
    own = functions[:, :, None] == np.arange(g)
    other = (1 - protocol.p) / (g - 1)
    law = np.where(own, protocol.p, other).reshape(d, -1) / functions.shape[1]

    def name(y: int) -> str:
        hashed = ", ".join(str(bucket) for bucket in functions[:, y // g].tolist())
        return f"hash function ({hashed}), bucket {y % g}"

    return ReportLaw(law, _item, name)


def _bloom(protocol: Rappor) -> ReportLaw | None:
    d, k, m = protocol.domain_size, protocol.bits, protocol.cohorts
    if k > 20 or d * m << k > CELLS:
        return None
    noise, parts = protocol.noise, []
    for cohort in range(m):
        filters = protocol.encode(np.arange(d), np.full(d, cohort))
        parts.append(_independent_bits(np.where(filters, noise.q_star, noise.p_star)) / m)
    return ReportLaw(
        np.concatenate(parts, axis=1),
        _item,
        lambda y: f"cohort {y >> k}, bits {_bits(y & (1 << k) - 1, k)}",
    )


def _geometric(mechanism: Geometric) -> ReportLaw:
    """One user is in the first of two bins or in the second; or in one bin or nowhere."""
    reach = 20
    noise = np.arange(-reach, reach + 1)

    def bin_of(count: int) -> Floats:
        law = mechanism.probability(noise - count)
        # Everything beyond the ends, as geometric series.
        law[0] /= mechanism.stop
        law[-1] /= mechanism.stop
        return law

    if mechanism.neighbours == "add-remove":
        law = np.array([bin_of(1), bin_of(0)])
        return ReportLaw(law, lambda v: ("one user", "no user")[v], lambda y: f"count {y - reach}")
    law = np.array([np.outer(bin_of(a), bin_of(1 - a)).ravel() for a in (1, 0)])
    width = noise.size
    return ReportLaw(
        law,
        lambda v: ("counts 1, 0", "counts 0, 1")[v],
        lambda y: f"counts {y // width - reach}, {y % width - reach}",
    )


def _independent_bits(rates: Floats) -> Floats:
    """float64[inputs, 2^k]: the law of k independent bits, the first in the highest place."""
    law = np.ones((len(rates), 1))
    for rate in rates.T:
        law = (law[:, :, None] * np.stack([1 - rate, rate], axis=1)[:, None, :]).reshape(
            len(rates), -1
        )
    return law


def _item(item: int) -> str:
    return f"item {item}"


def _bits(number: int, width: int) -> str:
    return f"{number:0{width}b}"


def check(law: ReportLaw, claimed: float) -> Check:
    """Compare every report's probability under every pair of inputs with e^ε.

    Raises ScenarioError where a row is not a law.
    """
    chances = law.probabilities
    if (chances < 0).any() or not np.allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ScenarioError("must add up to 1 over the reports of each input", key="probabilities")
    high, low = chances.max(axis=0), chances.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(high > 0, np.log(high) - np.log(low), -math.inf)
    # Of the reports that are equally bad, to rounding, the likeliest; of the inputs, the first.
    at = int(np.where(ratio >= ratio.max() - 1e-9, high, -1.0).argmax())
    first = int((chances[:, at] >= high[at] * (1 - 1e-12)).argmax())
    second = int((chances[:, at] <= low[at] * (1 + 1e-12)).argmax())
    return Check(
        claimed,
        float(ratio[at]),
        law.input_name(first),
        law.input_name(second),
        law.report_name(at),
        float(chances[first, at]),
        float(chances[second, at]),
        *chances.shape,
    )


# The Monte-Carlo audit.

Sampler: TypeAlias = Callable[[int, Rng], Any]
"""Draws so many reports of one input: an array whose first axis is reports."""


class Perturbs(Protocol):
    """What an audit needs of a local protocol; a pure one's `supports` sharpens it."""

    def perturb(self, values: NDArray[np.int64], rng: Rng) -> Reports: ...


BLOCK: Final = 8192
"""Reports drawn at once."""
KINDS: Final = 64
"""Categories of one column of a report."""
FEW_REPORTS: Final = 1024
"""So many different reports, at most, are told apart one by one; fewer from small samples."""
MOST_COLUMNS: Final = 4096


@dataclass(frozen=True)
class Audit:
    """What samples showed.

    lower : with this confidence, ε is at least so much; 0 if nothing was found.
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
        """Whether the claim is refuted."""
        return self.lower > self.claimed


def clopper_pearson(hits: Any, of: int, alpha: float) -> tuple[Floats, Floats]:
    """Exact bounds of a probability, each wrong with probability α at most: lower and upper."""
    from scipy.special import betainccinv, betaincinv

    hits = np.asarray(hits, dtype=np.float64)
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), of - hits + 1, alpha), 0.0)
    high = np.where(hits < of, betainccinv(hits + 1, np.maximum(of - hits, 1), alpha), 1.0)
    return low, high


def epsilon_at_least(
    first: Any, second: Any, of: int, confidence: float, delta: float = 0.0
) -> Floats:
    """The ε that hits of `of` reports each prove: ln((p₁ - δ) / p₂) at the worst bounds; ≥ 0."""
    alpha = (1 - confidence) / 2
    low, _ = clopper_pearson(first, of, alpha)
    _, high = clopper_pearson(second, of, alpha)
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
    if not 0 < confidence < 1:
        raise ScenarioError(f"must be in (0, 1), got {confidence!r}", key="confidence")
    if samples < 1000:
        raise ScenarioError(f"must be at least 1000, got {samples!r}", key="samples")
    if len(inputs) < 2:
        raise ScenarioError("must be two inputs or more", key="inputs")
    names = [name for name, _ in inputs]
    draws = [sampler for _, sampler in inputs]
    part = samples // 4
    lens = _Lens.of(draws, look, min(FEW_REPORTS, part // 32), rng)
    tables = [lens.table(draw, part, rng) for draw in draws]
    scores = {
        (a, b): lens.weights(tables[a], tables[b]) for a, b in permutations(range(len(draws)), 2)
    }
    best = (-math.inf, (0, 1), 0.0)
    seen: dict[int, dict[tuple[int, int], list[Floats]]] = {}
    for at, draw in enumerate(draws):
        own = {pair: weights for pair, weights in scores.items() if at in pair}
        seen[at] = lens.scores(draw, part, own, rng)
    for a, b in scores:
        first, second = np.concatenate(seen[a][a, b]), np.concatenate(seen[b][a, b])
        bound, threshold = _best_threshold(first, second, confidence, delta)
        best = max(best, (bound, (a, b), threshold))
    _, (a, b), threshold = best
    fresh = samples - 2 * part
    hits = [
        int((np.concatenate(found[a, b]) >= threshold).sum())
        for found in (lens.scores(draws[at], fresh, {(a, b): scores[a, b]}, rng) for at in (a, b))
    ]
    lower = float(epsilon_at_least(hits[0], hits[1], fresh, confidence, delta))
    spare = hits[0] / fresh - delta
    estimate = 0.0
    if spare > 0:
        estimate = max(0.0, math.log(spare * fresh / hits[1])) if hits[1] else math.inf
    event = lens.describe(scores[a, b], threshold)
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
) -> Audit:
    """Audit a local protocol, or anything with `perturb(values, rng)`, on a few of its items."""
    items = sorted({0, 1, domain_size // 2, domain_size - 1})

    def sampler(item: int) -> Sampler:
        return lambda count, rng: protocol.perturb(np.full(count, item, dtype=np.int64), rng)

    return audit(
        [(_item(item), sampler(item)) for item in items],
        claimed,
        rng,
        samples,
        confidence,
        delta,
        _support_of(protocol, domain_size, np.array(items)),
    )


def _support_of(
    protocol: object, domain_size: int, items: NDArray[np.int64]
) -> Callable[[Any], NDArray[Any]] | None:
    """Which of the audited items each report supports, where that is quick to know."""
    if isinstance(protocol, Unary):
        return None  # its bits are looked at already
    if isinstance(protocol, GRR):
        return lambda reports: np.asarray(reports[:, None] == items)
    if isinstance(protocol, LocalHashing):
        g = protocol.hash_range
        return lambda reports: np.asarray(
            buckets(items, reports["seed"][:, None].copy(), g) == reports["value"][:, None]
        )
    supports: Callable[[Any], NDArray[Any]] | None = getattr(protocol, "supports", None)
    if supports is None or domain_size > FEW_REPORTS:
        return None
    return lambda reports: supports(reports)[:, items]


def _best_threshold(
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
    bounds = epsilon_at_least(hits[0], hits[1], first.size, confidence, delta)
    at = int(bounds.argmax())
    return float(bounds[at]), float(candidates[at])


@dataclass(frozen=True, eq=False)
class _Lens:
    """How to see any report as a few columns of small whole numbers.

    values : of each column, the frequent values, sorted; each is a category of its own.
    cuts : of each column, where the rest is cut into categories.
    examples : a report of each value, where the one column is the whole report; else None.
    """

    values: tuple[NDArray[Any], ...]
    cuts: tuple[NDArray[Any], ...]
    examples: Any
    look: Callable[[Any], NDArray[Any]] | None

    @classmethod
    def of(
        cls,
        draws: Sequence[Sampler],
        look: Callable[[Any], NDArray[Any]] | None,
        few: int,
        rng: Rng,
    ) -> _Lens:
        first = [_drawn(draw, BLOCK, rng) for draw in draws]
        whole, places = np.unique(
            np.concatenate([_whole(reports) for reports in first]), return_index=True
        )
        if whole.size <= few:
            return cls((whole,), (whole[:0],), np.concatenate(first)[places], None)
        seen = zip(*(_columns(reports, look) for reports in first), strict=True)
        values, cuts = zip(*(_categories(np.concatenate(parts)) for parts in seen), strict=True)
        return cls(values, cuts, None, look)

    @property
    def kinds(self) -> int:
        return max(v.size + c.size + 1 for v, c in zip(self.values, self.cuts, strict=True))

    def codes(self, reports: Any, wanted: NDArray[np.intp]) -> NDArray[np.intp]:
        """intp[wanted columns, n]: the category of these columns of each report."""
        columns = [_whole(reports)] if self.examples is not None else _columns(reports, self.look)
        if len(columns) != len(self.values):
            raise RunError("the reports of a sampler change their shape from call to call")
        coded = np.empty((wanted.size, len(reports)), dtype=np.intp)
        for row, at in zip(coded, wanted.tolist(), strict=True):
            column, values, cuts = columns[at], self.values[at], self.cuts[at]
            if column.dtype == np.uint8 and values.tolist() == [0, 1]:
                np.minimum(column, 2, out=row)
                continue
            row[:] = values.size
            if cuts.size:
                row += np.searchsorted(cuts, column, side="right")
            if values.size:
                place = np.minimum(np.searchsorted(values, column), values.size - 1)
                np.copyto(row, place, where=values[place] == column)
        return coded

    def blocks(
        self, draw: Sampler, count: int, wanted: NDArray[np.intp], rng: Rng
    ) -> Iterator[NDArray[np.intp]]:
        """The codes of so many reports, block by block."""
        for at in range(0, count, BLOCK):
            yield self.codes(_drawn(draw, min(BLOCK, count - at), rng), wanted)

    def table(self, draw: Sampler, count: int, rng: Rng) -> Floats:
        """float64[columns, kinds]: how often each category of each column occurs."""
        size = (len(self.values), self.kinds)
        offsets = np.arange(size[0])[:, None] * size[1]
        total = np.zeros(size[0] * size[1])
        for coded in self.blocks(draw, count, np.arange(size[0]), rng):
            total += np.bincount((coded + offsets).ravel(), minlength=total.size)
        return total.reshape(size)

    def weights(self, first: Floats, second: Floats) -> Floats:
        """ln of the ratio of the shares of each category: how telling it is.

        Of many columns, most tell nothing: there it is 0 where the difference may be chance.
        """
        ratio = np.log((first + 0.5) / (second + 0.5))
        if self.examples is not None:
            return np.asarray(ratio)
        return np.where(np.abs(first - second) > 4 * np.sqrt(first + second), ratio, 0.0)

    def scores(
        self, draw: Sampler, count: int, weights: dict[tuple[int, int], Floats], rng: Rng
    ) -> dict[tuple[int, int], list[Floats]]:
        """For each pair of inputs, the sum of the weights of each report's categories."""
        found: dict[tuple[int, int], list[Floats]] = {pair: [] for pair in weights}
        wanted = np.flatnonzero(np.any([table.any(axis=1) for table in weights.values()], axis=0))
        for coded in self.blocks(draw, count, wanted, rng):
            for pair, table in weights.items():
                total = np.zeros(coded.shape[1])
                for row, column in zip(coded, wanted.tolist(), strict=True):
                    if table[column].any():
                        total += table[column][row]
                # Sums in any order are equal scores.
                found[pair].append(np.asarray(np.round(total, 9), dtype=np.float64))
        return found

    def describe(self, weights: Floats, threshold: float) -> str:
        """The event that a score reaches the threshold, in words."""
        if not weights.any():
            return "any report"
        if self.examples is not None:
            chosen = np.flatnonzero(np.round(weights[0], 9) >= threshold)
            named = [_shown(self.examples[at]) for at in chosen[:4] if at < len(self.examples)]
            more = ", …" if chosen.size > 4 else ""
            return f"the report is {', '.join(named)}{more}"
        telling = int(weights.any(axis=1).sum())
        columns = "column" if telling == 1 else "columns"
        return (
            f"a likelihood score of {telling} {columns} of the report is at least {threshold:.4g}"
        )


def _drawn(draw: Sampler, count: int, rng: Rng) -> Any:
    """Reports as an array of so many rows; raises RunError."""
    try:
        reports = np.asarray(draw(count, rng))
    except Exception as error:
        raise RunError(f"a sampler failed: {type(error).__name__}: {error}") from error
    if reports.ndim == 0 or len(reports) != count:
        raise RunError(f"a sampler must return {count} reports, got shape {reports.shape}")
    if reports.dtype == object:
        raise RunError("a sampler must return an array of numbers or of text, got objects")
    return reports


def _whole(reports: Any) -> NDArray[Any]:
    """Each report as one value that can be compared."""
    if reports.ndim == 1 and reports.dtype.names is None:
        return np.asarray(reports)
    rows = np.ascontiguousarray(reports).reshape(len(reports), -1)
    width = rows.shape[1] * rows.dtype.itemsize
    # As big-endian text without an end mark: void values do not sort.
    raw = rows.view(np.uint8).reshape(len(rows), width)
    return np.ascontiguousarray(raw.astype(np.uint16) + 1).view(f"S{2 * width}").ravel()


def _shown(report: Any) -> str:
    """One report in words; packed bytes as bits."""
    if isinstance(report, np.ndarray) and report.dtype == np.uint8:
        return "".join(f"{byte:08b}" for byte in report.ravel())
    if isinstance(report, np.void) and report.dtype.names:
        return " ".join(f"{name} {_shown(report[name])}" for name in report.dtype.names)
    return str(report.tolist()) if hasattr(report, "tolist") else str(report)


def _columns(reports: Any, look: Callable[[Any], NDArray[Any]] | None) -> list[NDArray[Any]]:
    """The numbers a report consists of: fields, columns, the bits of packed bytes."""
    if reports.dtype.names is not None:
        found = [c for name in reports.dtype.names for c in _columns(reports[name], None)]
    elif reports.ndim == 1:
        found = [reports]
    else:
        flat = reports.reshape(len(reports), -1)
        if flat.dtype == np.uint8:
            flat = np.unpackbits(flat, axis=1)
        found = list(flat.T)
    found = found[:MOST_COLUMNS]
    return [*found, *np.asarray(look(reports)).T] if look is not None else found


def _categories(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The frequent values of a column, and cuts that spread the others evenly."""
    values, counts = np.unique(column, return_counts=True)
    if values.size <= KINDS:
        return values, values[:0]
    frequent = np.sort(values[np.argsort(-counts, kind="stable")[: KINDS // 2]])
    frequent = frequent[np.isin(frequent, values[counts >= 16])]
    places = np.linspace(0, column.size - 1, KINDS // 2 + 1)[1:-1].astype(np.intp)
    return frequent, np.unique(np.sort(column)[places])
