"""Protocols of numbers: their densities by numeric integration, their bins, and both paths."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize, stats
from support import budget

from ldptui.core.attacks.hidden import hide_mean
from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.binned import HYBRID, PM, SW

BINNED = [kind for kind, spec in KINDS.items() if hasattr(spec, "bins")]
"""The protocols of numbers whose reports are bins."""
EPSILONS = [0.5, 1.0, 2.0, 4.0]
NUMBERS = np.linspace(-1, 1, 5)


def bound(kind: str, epsilon: float = 1.0, items: int = 5, bins: int = 1024) -> Any:
    return KINDS[kind](kind=kind, epsilon=epsilon, bins=bins).bind(items)


# The densities of the papers, written down here, against the tables of bins.


@dataclass(frozen=True)
class Density:
    """The law of a report on a line, as a paper has it: parts with one density each."""

    low: float
    high: float
    left: float
    right: float
    inside: float
    outside: float

    def mass(self, first: float, last: float) -> float:
        """The integral from first to last, by quadrature between the breaks."""

        def at(place: float) -> float:
            return self.inside if self.left <= place <= self.right else self.outside

        inner = [place for place in (self.left, self.right) if first < place < last]
        return float(integrate.quad(at, first, last, points=inner or None)[0])


def pm_density(t: float, epsilon: float) -> Density:
    """Wang et al., ICDE 2019, section III-B."""
    s = math.exp(epsilon / 2)
    c = (s + 1) / (s - 1)
    p = (math.exp(epsilon) - s) / (2 * s + 2)
    left = (c + 1) / 2 * t - (c - 1) / 2
    return Density(-c, c, left, left + c - 1, p, p / math.exp(epsilon))


def sw_density(t: float, epsilon: float) -> Density:
    """Li et al., SIGMOD 2020, section 4."""
    e, x = math.exp(epsilon), (t + 1) / 2
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    return Density(-b, 1 + b, x - b, x + b, e / (2 * b * e + 1), 1 / (2 * b * e + 1))


DENSITIES = {"pm": pm_density, "sw": sw_density}


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("kind", DENSITIES)
def test_bins_hold_the_integrals_of_the_papers_density(kind: str, epsilon: float) -> None:
    protocol = bound(kind, epsilon, bins=64)
    for item, number in enumerate(NUMBERS):
        density = DENSITIES[kind](float(number), epsilon)
        edges = density.low + (density.high - density.low) * protocol.edges
        masses = [density.mass(a, b) for a, b in itertools.pairwise(edges)]
        assert protocol.table[:, item] == pytest.approx(masses, abs=1e-9)
        other = DENSITIES[kind](float(number), 1.01 * epsilon)
        assert not np.allclose(masses, [other.mass(a, b) for a, b in itertools.pairwise(edges)],
                               atol=1e-9)  # fmt: skip


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_noise_of_whole_steps_is_the_geometric_one(epsilon: float) -> None:
    """A wide grid, written down: all noise beyond an end is heard as the end."""
    protocol = bound("laplace-ldp", epsilon, items=5, bins=9)
    a, far = math.exp(-epsilon / 8), 6000
    noise = (1 - a) / (1 + a) * a ** np.abs(np.arange(-far, far + 1))
    for item in range(5):
        heard = np.clip(2 * item + np.arange(-far, far + 1), 0, 8)
        law = np.bincount(heard, noise, 9)
        assert protocol.table[:, item] == pytest.approx(law, abs=1e-9)


@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("kind", BINNED)
def test_what_bins_say_is_right_on_average(kind: str, epsilon: float, cells: bool) -> None:
    protocol = type(bound(kind))(7, epsilon, 64, cells)
    assert protocol.report_values @ protocol.table == pytest.approx(protocol.values, abs=1e-10)
    some = np.random.default_rng(1).uniform(-1, 1, 50)
    assert protocol.report_values @ protocol.chances(some, some) == pytest.approx(some, abs=1e-10)
    assert protocol.report_values == pytest.approx(-protocol.mirror_law(protocol.report_values))
    naive = protocol.report_values.copy()
    naive[-1] += 0.01
    assert np.abs(naive @ protocol.table - protocol.values).max() > 1e-6


# Numbers that papers and our own algebra print.


@pytest.mark.parametrize("epsilon", [*EPSILONS, 8.0])
def test_variances_are_those_of_the_papers(epsilon: float) -> None:
    """By bins so narrow that they add little: PM's by the number, HM's the same for all."""
    s, c = math.exp(epsilon / 2), 1 / math.tanh(epsilon / 2)
    pm = NUMBERS**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)
    assert bound("pm", epsilon, bins=4096).spread == pytest.approx(pm, rel=1e-3)
    hm = (
        np.full(5, (s + 3) / (3 * s * (s - 1)) + c**2 / s)
        if epsilon > HYBRID
        else c**2 - NUMBERS**2
    )
    assert bound("hm", epsilon, bins=4096).spread == pytest.approx(hm, rel=1e-3)
    assert not np.allclose(bound("hm", epsilon, bins=4096).spread, pm, rtol=1e-3)
    if epsilon < 2:
        assert bound("laplace-ldp", epsilon).factor == pytest.approx(1 + 2 / epsilon, abs=2e-3)


@pytest.mark.parametrize("epsilon", [1e-3, 0.4999, 0.5001, 1.0, 4.0, 8.0])
def test_the_window_of_sw(epsilon: float) -> None:
    """Ours: 1/(2b(p − q)) = 1/(1 − (1 − e^−ε)/ε), which is e at ε = 1; b also where it cancels."""
    sw, e = SW(2, epsilon, 2**14), math.exp(epsilon)
    p, q = e / (2 * sw.b * e + 1), 1 / (2 * sw.b * e + 1)
    slope = 1 / (1 + math.expm1(-epsilon) / epsilon)
    assert 1 / (2 * sw.b * (p - q)) == pytest.approx(slope, rel=1e-6)
    assert sw.size == pytest.approx((1 + 2 * sw.b) * slope, rel=1e-6)
    assert 0 < sw.b < 0.5
    if epsilon == 1.0:
        assert slope == pytest.approx(math.e)
    if epsilon >= 0.4:
        plain = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
        assert sw.b == pytest.approx(plain, rel=1e-9)


# Both paths: reports by user, and counts drawn at once.


@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("kind", BINNED)
def test_reports_and_counts_have_the_law_of_the_table(kind: str, cells: bool) -> None:
    rng = np.random.default_rng(20)
    protocol = type(bound(kind))(3, 1.0, 16, cells)
    histogram = np.array([50_000, 0, 150_000])
    expected = histogram @ protocol.table.T
    items = np.repeat(np.arange(3), histogram)
    for counts in (
        protocol.support_counts(protocol.perturb(items, rng)),
        protocol.sample_counts(histogram[None], rng)[0],
    ):
        assert counts.sum() == histogram.sum()
        assert budget.law(counts, expected / expected.sum())
        wrong = type(protocol)(3, 1.1, 16, cells).table @ histogram
        assert wrong.size != counts.size or not budget.law(counts, wrong / wrong.sum())


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", BINNED)
def test_both_paths_agree_jointly(kind: str) -> None:
    """The covariances of the counts of two users: of items that are fixed, not drawn."""
    rng, trials = np.random.default_rng(3), 4000
    protocol = bound(kind, 2.0, items=2, bins=10)
    first, last = protocol.table.T
    joint = np.outer(first, last)
    joint = np.triu(joint + joint.T - np.diag(np.diag(joint)))
    pairs = np.triu_indices(len(first))
    drawn = protocol.sample_counts(np.ones((trials, 2), dtype=np.int64), rng)
    reports = protocol.perturb(np.tile([0, 1], trials), rng).reshape(trials, 2)
    for bins in (
        np.array([np.repeat(np.arange(len(first)), row) for row in drawn]),
        np.sort(reports, axis=1),
    ):
        seen = np.zeros(joint.shape)
        np.add.at(seen, tuple(bins.T.astype(int)), 1)
        assert budget.law(seen[pairs], joint[pairs])
        even = np.triu(np.outer(first, first) * (2 - np.eye(len(first))))
        assert not budget.law(seen[pairs], even[pairs])


# Laws of fakes.


@pytest.mark.parametrize("kind", BINNED)
def test_no_population_hides_more_than_the_programme_finds(kind: str) -> None:
    """Honest, as every bin's part shows, and at least β/(e^ε − 1) beyond a lie (we derive)."""
    protocol, share = bound(kind, 1.0, items=9, bins=64), 0.1
    held = stats.binom.pmf(np.arange(9), 8, 0.3)
    mean = float(held @ protocol.values)
    sent = hide_mean(protocol, 1.0, held, share).support(np.arange(1)).rates
    says = protocol.said_by(sent)[0]
    together = (1 - share) * protocol.table @ held + share * sent
    found = optimize.nnls(protocol.table, together)
    assert found[1] < 1e-7  # some population is this
    assert found[0].sum() == pytest.approx(1)
    assert says - mean >= (1 - mean) * math.e / (math.e - 1) - 1e-9
    assert says <= protocol.factor + 1e-9
    crafted = (1 - share) * protocol.table @ held + share * protocol.upper
    assert kind == "laplace-ldp" or optimize.nnls(protocol.table, crafted)[1] > 1e-4


@pytest.mark.parametrize(("kind", "epsilon", "shift"), [
    ("pm", 1.0, 3.01), ("pm", 2.0, 2.003), ("hm", 1.0, 2.59), ("sw", 1.0, 3.09), ("sw", 2.0, 2.14),
])  # fmt: skip
def test_the_hidden_shift_among_beta_numbers(kind: str, epsilon: float, shift: float) -> None:
    """For each share of fakes, among Beta(2, 5) on [-1, 1]; ours, by linear programme."""
    protocol = bound(kind, epsilon, items=65, bins=256)
    edges = np.clip((np.arange(66) - 0.5) / 64, 0, 1)
    held = np.diff(stats.beta.cdf(edges, 2, 5))
    sent = hide_mean(protocol, 1.0, held, 0.01).support(np.arange(1)).rates
    assert protocol.said_by(sent)[0] - held @ protocol.values == pytest.approx(shift, abs=0.06)


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
@pytest.mark.parametrize("kind", BINNED)
def test_users_at_the_ends_hide_as_much_whatever_the_protocol(kind: str, epsilon: float) -> None:
    """Ours: β((e^ε + 1)/(e^ε − 1) − μ), as of SR; `theory` prints it."""
    held = np.array([0.7, 0.3])
    protocol = bound(kind, epsilon, items=2, bins=64)
    for share in (0.01, 0.1):
        sent = hide_mean(protocol, 1.0, held, share).support(np.arange(1)).rates
        shift = share * (protocol.said_by(sent)[0] + 0.4)
        most = share * (1 / math.tanh(epsilon / 2) + 0.4)
        assert shift == pytest.approx(min(most, 1.4), rel=1e-6)


@pytest.mark.parametrize("kind", BINNED)
def test_a_chosen_mean_is_steered_to(kind: str) -> None:
    protocol, held = bound(kind, 1.0), np.array([0.5, 0.2, 0.1, 0.1, 0.1])
    mean = float(held @ protocol.values)
    law = protocol.steer_mean(0.2, held, 0.5).support(np.arange(1)).rates
    assert 0.5 * mean + 0.5 * protocol.said_by(law)[0] == pytest.approx(0.2)
    far = protocol.steer_mean(9.0, held, 0.5).support(np.arange(1)).rates
    assert protocol.said_by(far)[0] == pytest.approx(protocol.factor)


def steered_says(protocol: Any, mean: float, square: float, share: float = 0.5) -> tuple[Any, Any]:
    """The mean and the mean of squares that all reports say, and those that were wanted."""
    held = np.array([0.5, 0.2, 0.1, 0.1, 0.1])
    law = protocol.steer_mean(mean, held, share, square).support(np.arange(1)).rates
    assert law.min() >= 0
    assert law.sum() == pytest.approx(1)
    all_reports = (1 - share) * protocol.table @ held + share * law
    return all_reports @ protocol.report_values, all_reports @ protocol.squares


@pytest.mark.parametrize("kind", BINNED)
def test_a_mean_and_a_mean_of_squares_are_steered_to(kind: str) -> None:
    """Any pair that some law of reports reaches, as a programme over all laws says."""
    protocol, held, share = bound(kind, 1.0, bins=256), np.array([0.5, 0.2, 0.1, 0.1, 0.1]), 0.5
    honest = protocol.table @ held
    assert protocol.squares @ protocol.table == pytest.approx(protocol.values**2, abs=3e-4)
    assert protocol.squares @ protocol.table[:, [0, -1]] == pytest.approx([1, 1], abs=1e-9)
    for mean, square in ((0.2, 0.5), (-0.4, 1.0), (0.0, 0.3)):
        assert steered_says(protocol, mean, square) == pytest.approx((mean, square), abs=1e-9)
    # At the least and the most mean of squares that goes with a mean, of laws that look as mixed.
    ends = (
        np.flatnonzero(np.abs(protocol.report_values) == 1 / math.tanh(0.5)) if kind == "hm" else []
    )
    mixed = np.isin(np.arange(protocol.report_values.size), ends).astype(float)
    for mean in (-0.2, 0.4):
        wanted = [1.0, (mean - (1 - share) * honest @ protocol.report_values) / share]
        rows = [np.ones_like(mixed), protocol.report_values]
        if kind == "hm":
            rows, wanted = [*rows, mixed], [*wanted, 1 - protocol.part]
        for sign, outside in ((1, -9.0), (-1, 99.0)):
            best = optimize.linprog(sign * protocol.squares, A_eq=np.array(rows), b_eq=wanted)
            most = (1 - share) * honest @ protocol.squares + share * sign * best.fun
            got = steered_says(protocol, mean, outside)
            assert got[0] == pytest.approx(mean, abs=1e-9)
            near = 0.02 if kind == "hm" and sign == 1 else 2e-3
            assert got[1] == pytest.approx(most, abs=near * abs(most) + near)


def test_a_second_moment_that_no_report_tells() -> None:
    assert np.isnan(KINDS["sr"](kind="sr", epsilon=1.0).bind(5).squares).all()
    assert np.isnan(bound("hm", 0.5).squares).all()


def test_the_whole_window_of_an_end() -> None:
    """PM: uniform on [1, C], which says (C + 1)/2; SW: on [1 − b, 1 + b], which C (1 − ω)."""
    pm, sw = PM(2, 1.0), SW(2, 1.0)
    for protocol, says in ((pm, (pm.size + 1) / 2), (sw, sw.size * (1 - sw.width))):
        rates = protocol.widest(True)
        assert protocol.said_by(rates)[0] == pytest.approx(says, abs=2e-3)
        assert protocol.said_by(protocol.widest(False))[0] == pytest.approx(-says, abs=2e-3)


# What makes no sense is refused in a sentence.


@pytest.mark.parametrize(
    ("kind", "epsilon", "bins", "words"),
    [
        ("sw", 1.0, 5, "bins must be at least 6, as a window of SW is 0.339 of the line at ε = 1"),
        ("sw", 9.0, 1024, " as a window of SW is 0.000988 of the line at ε = 9, got 1024"),
        ("sw", 20.0, 1024, "epsilon must be smaller, as a window of SW is 3.92e-08 of the line, "),
        (
            "pm",
            20.0,
            1024,
            "bins must be at least 44055, as a window of PM is 4.54e-05 of the line",
        ),
        ("hm", 20.0, 1024, "bins must be at least"),
        ("pm", 1.0, 3, "bins must be in [4, 2^16], got 3"),
    ],
)
def test_windows_that_are_too_narrow_are_refused(
    kind: str, epsilon: float, bins: int, words: str
) -> None:
    with pytest.raises(ScenarioError, match=re.escape(words)):
        bound(kind, epsilon, bins=bins)


def test_tables_that_are_too_large_are_refused() -> None:
    with pytest.raises(ScenarioError, match="times items must be at most 4 000 000, got 1024 with"):
        bound("pm", items=10_000)


@pytest.mark.parametrize("kind", BINNED)
def test_a_strangers_reports_are_checked(kind: str) -> None:
    protocol = bound(kind, bins=16)
    count = protocol.report_values.size
    good = np.array([0, count - 1], dtype=np.uint32)
    assert protocol.validate_reports(good, 2) is good
    with pytest.raises(ValueError, match=rf"a bin in \[0, {count}\), got {count}"):
        protocol.validate_reports(np.array([count], dtype=np.uint32), 1)
    assert isinstance(protocol, NumericProtocol)
