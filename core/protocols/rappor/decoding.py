"""Frequencies of candidates from RAPPOR's bit counts: selection, regression, significance.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014 (RAP below), section 4. The estimated share of each
cohort's users with each bit is regressed on the bits that each candidate sets. With more
candidates than 0.8·k·m, a non-negative lasso selects some first. scikit-learn, the extra
`rappor`, is imported only here, and only if it is needed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import CellError, ScenarioError
from ...base.sampling import Counts, Floats
from .noise import BitNoise

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

Parts: TypeAlias = "tuple[tuple[csr_array, csc_array], ...]"
"""The rows of a matrix that belong to each cohort, sparse float64[k, any], and their transpose."""

Adjust: TypeAlias = Literal["bonferroni", "benjamini-hochberg"]
"""The adjustment of p-values for many candidates: for any false discovery, or their rate."""

ROOM: Final = 0.8
"""The candidates for each bit and cohort that can be estimated together. RAP section 4."""

PENALTY: Final = 2.0
"""The deviations by which a candidate's bits exceed the others' part when it enters the lasso.

Low: the tests find out a candidate selected in vain, but one that is not selected is lost.
"""

SINGULAR: Final = 1e-9
"""Directions whose weight is smaller than this, relative to the largest, are not estimated."""


@dataclass(frozen=True, eq=False)
class Design:
    """The design matrix of decoding: which of the k·m bits each candidate item sets.

    columns : sparse float64[m·k, distinct], a column of zeros and ones for each distinct set of
        bits; row cohort·k + bit.
    column_of : int64[d], each candidate's column.
    shared : int64[distinct], the number of candidates that have each column.
    """

    columns: csc_array
    column_of: NDArray[np.int64]
    shared: NDArray[np.int64]
    cohorts: int
    bits: int

    @classmethod
    def of(cls, rows: NDArray[np.int64], cohorts: int, bits: int) -> Design:
        """The design from int64[d, any], the bit rows of each candidate; a repeated row counts
        once.

        Raises ScenarioError without a candidate.
        """
        from scipy.sparse import csc_array

        if not len(rows):
            raise ScenarioError("must name at least one candidate, got []", key="candidates")
        ordered = np.sort(rows, axis=1)
        repeated = np.zeros(ordered.shape, dtype=np.bool_)
        repeated[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
        # A set of bits has one spelling: in order, repeats as -1 at the end.
        spelt = np.sort(np.where(repeated, cohorts * bits, ordered), axis=1)
        _, first, column_of, shared = np.unique(
            spelt, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        # Columns in the order of the candidates: a tie goes to the lower index.
        rank = np.argsort(first, kind="stable")
        place = np.empty_like(rank)
        place[rank] = np.arange(rank.size)
        distinct = spelt[first[rank]]
        present = distinct < cohorts * bits
        columns = csc_array(
            (
                np.ones(int(present.sum())),
                distinct[present].astype(np.int32),  # as scikit-learn asks for
                np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32),
            ),
            shape=(cohorts * bits, rank.size),
        )
        return cls(columns, place[column_of.reshape(-1)], shared[rank], cohorts, bits)

    @cached_property
    def by_cohort(self) -> Parts:
        return _by_cohort(self.columns, self.bits)

    @property
    def candidates(self) -> int:
        return self.column_of.size

    @property
    def indistinct(self) -> int:
        """The number of candidates that set exactly the bits of another candidate."""
        return int(self.shared[self.shared > 1].sum())

    @property
    def selects(self) -> bool:
        """Whether there are too many candidates for least squares, so that a lasso selects some
        first.
        """
        return self.shared.size > ROOM * self.cohorts * self.bits

    def together(self, frequencies: Floats) -> Floats:
        """float64[distinct]: the frequencies float64[d] summed over candidates that set the same
        bits.
        """
        together = np.bincount(self.column_of, weights=frequencies, minlength=self.shared.size)
        return np.asarray(together, dtype=np.float64)

    def shared_out(self, values: Floats) -> Floats:
        """float64[d]: the values float64[distinct], split equally among the candidates with the
        same bits.
        """
        return np.asarray((values / self.shared)[self.column_of])

    def bits_of(self, frequencies: Floats) -> Floats:
        """float64[m, k]: the share of users whose filter has each bit, for frequencies
        float64[d].
        """
        return np.asarray(self.columns @ self.together(frequencies)).reshape(
            self.cohorts, self.bits
        )


@dataclass(frozen=True, eq=False)
class Decoding:
    """The decoded frequency and significance of each candidate: arrays [d].

    frequencies : estimates; 0 for a candidate that was not selected. Candidates that set the same
        bits share their estimate equally.
    standard_errors : infinite if a candidate is not estimated on its own.
    p_values : one-sided, of the hypothesis that no user has the candidate; 1 if not estimated.
    selected : whether the candidate was estimated.
    detected : whether its p-value is significant.
    """

    frequencies: Floats
    standard_errors: Floats
    p_values: Floats
    selected: NDArray[np.bool_]
    detected: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Fit:
    """A weighted least-squares fit of the cohorts' bit shares on some design columns.

    columns : sparse float64[m·k, s]. by_cohort : the same, cohort by cohort.
    weights : float64[m·k], the share of all users in the bit's cohort.
    inverse : float64[s, s], of X'WX.
    known : bool[s], whether the data determine the coefficient.
    """

    columns: csc_array
    by_cohort: Parts
    weights: Floats
    inverse: Floats
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, design: Design, users: Floats, chosen: NDArray[np.int64] | None = None) -> Fit:
        """The fit on all columns of a design, or on the chosen columns; users : float64[m], of each
        cohort.
        """
        columns = design.columns if chosen is None else design.columns[:, chosen]
        parts = design.by_cohort if chosen is None else _by_cohort(columns, design.bits)
        weights = np.repeat(users / users.sum(), design.bits)
        weighted = columns.copy()
        weighted.data *= weights[weighted.indices]
        return cls(columns, parts, weights, *_inverse((columns.T @ weighted).toarray()))

    def coefficients(self, shares: Floats) -> Floats:
        """float64[s]: the fitted coefficients, from the bit shares float64[m, k]."""
        return np.asarray(self.inverse @ (self.columns.T @ (self.weights * shares.ravel())))

    def standard_errors(
        self, frequencies: Floats, users: Floats, p_star: float, q_star: float
    ) -> Floats:
        """float64[s]: the standard deviations of the coefficients at these true frequencies.

        A user's contribution depends on the random cohort and on the noise of the bits. The part of
        the former that all cohorts have in common cancels, since each user is in one cohort.

        frequencies : float64[s]. users : float64[m], of each cohort.
        """
        cohorts, total = users.size, users.sum()
        bits = self.weights.size // cohorts
        held = np.clip(frequencies, 0.0, 1.0)
        gap = q_star - p_star
        shares = np.clip(self.columns @ held, 0.0, 1.0).reshape(cohorts, bits)
        # The noise of one bit, whatever the filters of the users.
        noise = (shares * q_star * (1 - q_star) + (1 - shares) * p_star * (1 - p_star)) / gap**2
        variance = np.zeros(held.size)
        for cohort in np.flatnonzero(users):
            rows, across = self.by_cohort[cohort]
            pull = (rows @ self.inverse) * (users[cohort] / total)
            # The amount that one user who holds u adds to the estimate of v, in row u and column v.
            moved = across @ pull
            variance -= (held @ moved) ** 2 / users[cohort]
            variance += held @ np.square(moved, out=moved) / users[cohort]
            variance += noise[cohort] @ np.square(pull, out=pull) / users[cohort]
        variance -= held * (1 - held) / total
        return np.sqrt(np.maximum(variance, np.finfo(float).tiny))


def _by_cohort(columns: csc_array, bits: int) -> Parts:
    rows = columns.tocsr()
    parts = (rows[start : start + bits] for start in range(0, rows.shape[0], bits))
    return tuple((part, part.T) for part in parts)


def _inverse(gram: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The inverse of X'WX, or its pseudo-inverse with the coefficients that it determines."""
    from scipy.linalg import eigh, lapack

    factor, failed = lapack.dpotrf(gram, lower=1)
    quality = 0.0
    if not failed:
        quality, _ = lapack.dpocon(factor, np.abs(gram).sum(axis=0).max(), uplo="L")
    if quality > SINGULAR:
        half, _ = lapack.dpotri(factor, lower=1)
        return np.tril(half) + np.tril(half, -1).T, np.ones(len(gram), dtype=np.bool_)
    values, vectors = eigh(gram)
    kept = values > SINGULAR * max(values[-1], np.finfo(float).tiny)
    basis = vectors[:, kept]
    return (basis / values[kept]) @ basis.T, (basis**2).sum(axis=1) > 1 - 1e-6


def bit_shares(counts: Counts, p_star: float, q_star: float) -> Floats:
    """float64[m, k]: the estimated share of each cohort's users whose filter has each bit.

    counts : int64[m, k + 1]. t_ij / N_j with t_ij = (c_ij - p* N_j) / (q* - p*), RAP section 4; 0
    in a cohort without users, which has no weight.
    """
    users = counts[..., -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(users > 0, (counts[..., :-1] / users - p_star) / (q_star - p_star), 0.0)


def decode(
    design: Design,
    counts: Counts,
    p_star: float,
    q_star: float,
    alpha: float = 0.05,
    adjust: Adjust = "bonferroni",
) -> Decoding:
    """The decoded frequencies and significance of all candidates, from bit counts.

    Parameters
    ----------
    counts : int64[m, k + 1]: the users of each cohort who sent each bit as 1; last, the users.
    p_star, q_star : probability that a bit is sent as 1 if the true bit is 0, is 1.
    alpha : the level of the tests: of one false discovery or more (Bonferroni), or of the expected
        share of false discoveries (Benjamini–Hochberg).

    Raises
    ------
    ScenarioError
        Without a report.
    """
    users = counts[:, -1].astype(np.float64)
    if not users.any():
        raise ScenarioError("must hold at least one report, got none", key="counts")
    shares = bit_shares(counts, p_star, q_star)
    chosen = np.arange(design.shared.size)
    crowded = design.shared.size > ROOM * design.bits * np.count_nonzero(users)
    if crowded:
        chosen = select(design.columns, shares, users, p_star, q_star)
    values, errors = np.zeros(design.shared.size), np.full(design.shared.size, np.inf)
    if chosen.size:
        fit = Fit.of(design, users, chosen if crowded else None)
        values[chosen] = fit.coefficients(shares)
        fitted = fit.standard_errors(values[chosen], users, p_star, q_star)
        errors[chosen] = np.where(fit.known, fitted, np.inf)
    errors[design.shared > 1] = np.inf
    frequencies = design.shared_out(values)
    errors = errors[design.column_of]
    p_values = upper_tail(frequencies / errors)
    p_values[np.isinf(errors)] = 1.0
    selected = np.isin(design.column_of, chosen)
    return Decoding(frequencies, errors, p_values, selected, reject_nulls(p_values, alpha, adjust))


def select(
    columns: csc_array, shares: Floats, users: Floats, p_star: float, q_star: float
) -> NDArray[np.int64]:
    """int64[s]: the design columns that a non-negative lasso selects, at most 0.8 per observed bit.

    Rows are weighted by their standard deviation, so that a column's penalty is in deviations.

    shares : float64[m, k]. users : float64[m]. Raises CellError without scikit-learn (the extra
    `rappor`).
    """
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import Lasso
    except ImportError:
        raise CellError(
            "RAPPOR selects among more candidates than its bits can tell apart with scikit-learn, "
            "which is not installed: pip install 'ldptui[rappor]', or more bits or cohorts"
        ) from None

    bits = shares.shape[1]
    precision = np.sqrt(users / (p_star * (1 - p_star))) * (q_star - p_star)
    weights = np.repeat(precision, bits)
    whitened: Any = columns.multiply(weights[:, None]).tocsc()
    norms = np.sqrt(whitened.multiply(whitened).sum(axis=0))
    seen = np.flatnonzero(norms > 0)
    whitened = whitened[:, seen].multiply(1 / norms[seen]).tocsc()
    # scikit-learn minimises |y - Xw|² / 2 rows + penalty |w|.
    lasso = Lasso(
        alpha=PENALTY / weights.size,
        positive=True,
        fit_intercept=False,
        tol=1e-3,
        max_iter=300,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a selection need not be the last word
        lasso.fit(whitened, weights * shares.ravel())
    strength = np.asarray(lasso.coef_)
    most = int(ROOM * bits * np.count_nonzero(users))
    order = np.argsort(-strength, kind="stable")[:most]
    return np.sort(seen[order[strength[order] > 0]])


def upper_tail(z: Floats) -> Floats:
    """The probability Pr[Z > z] of a standard normal variable, an array of the shape of z."""
    from scipy.special import ndtr

    return np.asarray(ndtr(-z))


def reject_nulls(p_values: Floats, alpha: float, adjust: Adjust) -> NDArray[np.bool_]:
    """bool[tests]: whether the null hypothesis is rejected, from one p-value for each test.

    Bonferroni: p ≤ α/M. Benjamini, Hochberg 1995: the k smallest, for the largest k with p_(k) ≤ α
    k/M.
    """
    if adjust == "bonferroni" or not p_values.size:
        return np.asarray(p_values <= alpha / max(p_values.size, 1))
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p_values, method="bh") <= alpha)


def bit_frequencies(counts: Counts, noise: BitNoise) -> tuple[Floats, Floats]:
    """The estimated share of each cohort's users whose filter has each bit, and its standard
    deviation.

    counts : int64[m, k + 1]. Two arrays float64[m, k]: `bit_shares` and √(p*(1-p*) / N_j) / (q* -
    p*), the standard deviation if no user has the bit. A cohort without users has 0 and infinity.
    """
    p = noise.p_star
    share = bit_shares(counts, p, noise.q_star)
    with np.errstate(divide="ignore"):
        std = np.sqrt(p * (1 - p) / counts[..., -1:]) / noise.gap
    return share, np.broadcast_to(std, share.shape)
