"""CMS and HCMS: reports, counts and closed forms against every report of a small table."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from support import budget
from support.count_laws import Moments

from ldptui.core.base.errors import ScenarioError
from ldptui.core.kernels.hashing import buckets
from ldptui.core.law.law import Ask
from ldptui.core.law.moments import Collection
from ldptui.core.law.pure import SeedSearch, Total
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.sketch import CountMeanSketch, HadamardSketch
from ldptui.core.protocols.sketch.signs import Equations, odd

Rng = np.random.Generator

SMALL = [CountMeanSketch(5, 1.0, 4, 3), HadamardSketch(5, 1.0, 4, 3)]
LARGE = [CountMeanSketch(5, 1.0, 128, 64), HadamardSketch(5, 1.0, 128, 64)]
FREQUENCIES = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
LAWS = ("honest", "random", "unperturbed", "crafted", "avoided")

every_small = pytest.mark.parametrize("sketch", SMALL, ids=lambda sketch: type(sketch).__name__)
every_large = pytest.mark.parametrize("sketch", LARGE, ids=lambda sketch: type(sketch).__name__)


def placed(sketch: Any) -> Any:
    """[row, item]: the bucket of an item."""
    seeds = np.arange(sketch.rows, dtype=np.uint32)[:, None]
    return buckets(np.arange(sketch.domain_size), seeds, sketch.buckets).astype(int)


def everything(sketch: Any) -> Any:
    """[row, payload]: every report, and what it says of each bucket, [row, payload, bucket]."""
    m = sketch.buckets
    if isinstance(sketch, CountMeanSketch):
        return np.array(list(itertools.product([0, 1], repeat=m)))
    entries = [[(-1) ** (h & column).bit_count() for h in range(m)] for column in range(m)]
    return np.array([(np.array(row) == sign) * 1 for row in entries for sign in (1, -1)])


def chances(sketch: Any, law: str, targets: list[int]) -> Any:
    """[row, payload]: how likely a report of a law is, from the paper and not from the code."""
    shown, own = everything(sketch), placed(sketch)[:, targets]  # [payload, bucket], [row, target]
    cms, e = isinstance(sketch, CountMeanSketch), math.exp(sketch.epsilon)
    keep = math.sqrt(e) / (math.sqrt(e) + 1) if cms else e / (e + 1)
    if law == "random":
        return np.full((sketch.rows, len(shown)), 1 / (sketch.rows * len(shown)))
    keep = 1.0 if law == "unperturbed" else keep
    table = np.zeros((sketch.rows, len(shown)))
    for row, at in enumerate(own):
        if law in ("honest", "unperturbed"):
            for bucket in at:
                right = shown == np.eye(sketch.buckets)[bucket] if cms else shown[:, [bucket]] == 1
                table[row] += np.where(right, keep, 1 - keep).prod(axis=1) / len(targets)
            table[row] /= table[row].sum()
            continue
        aims = shown[:, np.unique(at)]
        best = aims.all(axis=1) if law == "crafted" else ~aims.any(axis=1)
        if cms:
            ones = math.floor(keep + (sketch.buckets - 1) * (1 - keep))
            free = sketch.buckets - np.unique(at).size
            if law == "crafted":
                ones = max(ones, np.unique(at).size)
            best &= shown.sum(axis=1) == (ones if law == "crafted" else min(ones, free))
        else:  # a column in which all targets have the entry -1
            signs = shown[:, 0]  # bucket 0 has the entry 1 in every column
            best &= (signs == 0) if law == "crafted" else (signs == 1)
        table[row] = best
    if law in ("crafted", "avoided"):
        if not cms and not table.any():
            table[:] = (shown.all(axis=1) if law == "crafted" else ~shown.any(axis=1)) * 1
        sums = table.sum(axis=1, keepdims=True)
        table = np.divide(table, sums, out=np.zeros_like(table), where=sums > 0)
        return table / (sums > 0).sum()
    return table / sketch.rows


def supports(sketch: Any) -> Any:
    """[row, payload, item]: the items that each report supports."""
    return np.array([everything(sketch)[:, row] for row in placed(sketch)])


def moments_of(sketch: Any, law: str, targets: list[int]) -> Moments:
    weights, said = chances(sketch, law, targets), supports(sketch)
    mean = np.einsum("rp,rpi->i", weights, said)
    square = np.einsum("rp,rpi,rpj->ij", weights, said, said)
    return Moments(mean, square - np.outer(mean, mean))


@every_small
def test_reports_are_those_of_the_paper(sketch: Any, rng: Rng) -> None:
    """Each row and payload is as likely as the paper says for every item, ratio e^ε at most."""
    law = sketch.enumerate_reports()
    exact = np.array([chances(sketch, "honest", [item]).ravel() for item in range(5)])
    assert law.probabilities == pytest.approx(exact, rel=1e-12)
    apart = np.log(exact[:, None] / exact[None]).max()
    assert apart == pytest.approx(sketch.epsilon)
    assert law.report_name(law.probabilities.shape[1] - 1).startswith("row 2, ")
    mutant = type(sketch)(5, 1.1, 4, 3)
    for drawn, agrees in ((sketch, True), (mutant, False)):
        reports = drawn.perturb(np.full(200_000, 3), rng)
        if isinstance(sketch, CountMeanSketch):
            payload = np.unpackbits(reports["bits"], axis=1)[:, :4] @ [8, 4, 2, 1]
        else:
            payload = 2 * reports["column"] + reports["odd"]
        seen = np.bincount(reports["row"] * (len(exact[0]) // 3) + payload, minlength=len(exact[0]))
        assert bool(budget.law(seen, exact[3])) == agrees


@every_small
def test_p_and_q_are_the_means_over_all_places_of_another_item(sketch: Any) -> None:
    """By a hash function that the paper assumes: another item is in each bucket alike."""
    said = sketch.rows * chances(sketch, "honest", [0])[0] @ everything(sketch)  # of each bucket
    assert said[placed(sketch)[0, 0]] == pytest.approx(sketch.p)
    assert said.mean() == pytest.approx(sketch.q)


@pytest.mark.every(4)
@pytest.mark.parametrize("targets", [[2], [3, 1], [4, 0, 1]], ids=str)
@pytest.mark.parametrize("law", LAWS)
@every_small
def test_what_a_report_supports(sketch: Any, law: str, targets: list[int], rng: Rng) -> None:
    """Rates, and the variance of the number of any counted items, against every report."""
    exact, aims = moments_of(sketch, law, targets), np.array(targets)
    for counted in ([0], [1, 4], [0, 1, 2, 3, 4], targets):
        found = sketch.find_law(Ask(law, aims)).support(np.array(counted))
        assert found.rates == pytest.approx(exact.mean, abs=1e-12)
        spread = exact.covariance[np.ix_(counted, counted)].sum()
        assert found.variance == pytest.approx(spread, abs=1e-12)
    make = {
        "honest": lambda n: sketch.perturb(rng.choice(aims, n), rng),
        "unperturbed": lambda n: sketch.unperturbed(rng.choice(aims, n), rng),
        "random": lambda n: sketch.random_reports(n, rng),
        "crafted": lambda n: sketch.craft(aims, n, SeedSearch(), rng),
        "avoided": lambda n: sketch.avoid(aims, n, SeedSearch(), rng),
    }[law]
    reports = make(50_000)
    said = sketch.look(reports, np.arange(5))
    assert budget.moments(said, exact.mean, exact.covariance)
    assert sketch.support_counts(reports).tolist() == said.sum(axis=0).tolist()
    if law == "crafted" and len(targets) == 1:
        assert said[:, aims].all()
    assert sketch.validate_reports(reports, 50_000) is reports


@every_small
def test_supports_by_number_are_towards_the_first_items(sketch: Any) -> None:
    for law, claimed in (
        ("honest", sketch.find_support("honest", 2)),
        ("random", sketch.find_support("random", 2)),
        ("unperturbed", sketch.find_support("unperturbed", 2)),
        ("crafted", sketch.find_support("crafted", 2, SeedSearch())),
        ("avoided", sketch.find_support("avoided", 2, SeedSearch())),
    ):
        exact = moments_of(sketch, law, [0, 1])
        first, rest = slice(2), slice(2, 5)
        pairs = (first, first), (rest, rest), (first, rest)
        blocks = [exact.covariance[pair].sum() for pair in pairs]
        found = claimed.variance, claimed.other_variance, claimed.covariance
        assert found == pytest.approx(blocks, abs=1e-12)
        rates = exact.mean[:2].mean(), exact.mean[2:].mean()
        assert (claimed.target, claimed.other) == pytest.approx(rates)


@every_small
def test_the_spread_of_a_sum_is_that_of_the_law(sketch: Any) -> None:
    """Given the users of each item, whose means differ where they share buckets."""
    laws = [moments_of(sketch, "honest", [item]) for item in range(5)]
    covariance = sum(f * law.covariance for f, law in zip(FREQUENCIES, laws, strict=True))
    for targets in ([1], [0, 4], [3, 1, 2]):
        exact = covariance[np.ix_(targets, targets)].sum() / (sketch.p - sketch.q) ** 2
        found = sketch.placed_sum_variance(FREQUENCIES, np.array(targets))
        assert found == pytest.approx(exact)
        assert sketch.total_variance(Total(1, 0.3)) != pytest.approx(exact, rel=1e-3)


@every_large
def test_counts_have_the_means_of_these_hash_functions(sketch: Any, rng: Rng) -> None:
    """Both paths, and theory: unbiased but for the items that share buckets."""
    histogram = np.array([4000, 3000, 2000, 1000, 0])
    laws = [moments_of_row_means(sketch, item) for item in range(5)]
    mean = sum(n * law for n, law in zip(histogram, laws, strict=True))
    clean, _ = sketch.means(Collection(histogram))
    assert clean == pytest.approx((mean / 10_000 - sketch.q) / (sketch.p - sketch.q), abs=1e-12)
    assert np.abs(clean - FREQUENCIES).max() > 1e-4
    assert np.abs(clean - FREQUENCIES).max() < 5 * math.sqrt(sketch.collision_variance)
    gap = (sketch.p - sketch.q) ** 2
    spread, _ = sketch.variances(Collection(histogram))
    spread = spread * gap * 10_000**2
    counts = sketch.sample_counts(np.broadcast_to(histogram, (2000, 5)), rng)
    assert budget.moments(counts, mean, np.diag(spread))
    values = np.repeat(np.arange(5), histogram)
    reports = np.array([sketch.support_counts(sketch.perturb(values, rng)) for _ in range(30)])
    assert budget.mean(reports, mean, spread)
    assert budget.spread(reports, mean, spread)
    assert not budget.mean(counts, mean + 20, spread)
    each = rng.multinomial(10_000, [0.2, 0, 0.8, 0, 0], size=2000)  # of fakes, another each time
    drawn = sketch.sample_counts(each, rng)
    expected = 10_000 * (0.2 * laws[0] + 0.8 * laws[2])
    assert budget.mean(drawn, expected, 10_000 * np.full(5, 0.5))


def moments_of_row_means(sketch: Any, item: int) -> Any:
    """The mean support of each item by a report of one."""
    at = placed(sketch)
    return np.where(at == at[:, [item]], sketch.p, sketch.other).mean(axis=0)


@pytest.mark.parametrize("width", [3, 6])
def test_columns_solve_the_equations(width: int, rng: Rng) -> None:
    """The rows that have a column of -1 for all targets, by trying every column."""
    rows = rng.integers(0, 1 << width, size=(300, 4)).astype(np.uint32)
    solved, columns = Equations.of(rows, width), np.arange(1 << width, dtype=np.uint32)
    fit = odd(rows[:, :, None] & columns).all(axis=1)
    assert (solved.fits == fit.any(axis=1)).all()
    chosen = np.repeat(np.flatnonzero(solved.fits), 40)
    assert fit[chosen, solved.solutions(chosen, rng)].all()
    row = int(np.flatnonzero(fit.sum(axis=1) == fit.sum(axis=1).max())[0])
    drawn = solved.solutions(np.full(20_000, row), rng)
    assert budget.law(np.bincount(drawn, minlength=1 << width), fit[row] / fit[row].sum())


def test_a_hadamard_report_supports_log_m_targets_and_more_in_column_0(rng: Rng) -> None:
    """Ten targets in a row of 1,024 buckets; two hundred fit no row, and then no column but 0."""
    sketch = HadamardSketch(500, 1.0, 1024, 64)
    for r in (10, 200):
        targets = rng.choice(500, size=r, replace=False)
        reports = sketch.craft(targets, 100, SeedSearch(), rng)
        assert sketch.look(reports, targets).all()
        assert (reports["column"] == 0).all() == (r == 200)
        others = sketch.look(reports, np.delete(np.arange(500), targets)).mean()
        assert others == pytest.approx(1.0 if r == 200 else 0.5, abs=0.03)
        assert not sketch.look(sketch.avoid(targets, 100, SeedSearch(), rng), targets).any()


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("hcms", {"buckets": 1000}, "buckets must be a power of two, got 1000"),
        ("hcms", {"buckets": 1}, r"buckets must be in \[2, 65536\], got 1|2\^16"),
        ("cms", {"rows": 0}, "rows must be in"),
    ],
)
def test_tables_that_make_no_sense_are_refused(kind: str, values: Any, words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        KINDS[kind](kind=kind, epsilon=1.0, **values).bind(5)


@every_small
def test_reports_of_a_stranger_are_checked(sketch: Any, rng: Rng) -> None:
    reports = sketch.perturb(np.arange(5), rng)
    with pytest.raises(ValueError, match="must be"):
        sketch.validate_reports(reports, 4)
    reports["row"][0] = 3
    with pytest.raises(ValueError, match=r"must have rows? in \[0, 3\), got 3"):
        sketch.validate_reports(reports, 5)
