"""Filters on reports of a known origin: what they flag, and what they never flag."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget
from support.defences import made

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.flags import area_under, roc
from ldptui.core.defences import FILTERS, TrialReports, Verdict
from ldptui.core.defences.diffstats import Diffstats, ones_law
from ldptui.core.defences.fiad import FIAD, itemset_threshold
from ldptui.core.defences.likelihood import Conditional
from ldptui.core.law.law import Ask
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.law.pure import BoolArray, Reports, SeedSearch
from ldptui.core.protocols import KINDS, OLH, OUE, SUE

TARGETS = np.array([3, 8, 11, 15, 19])
N, M = 8000, 420


def received(protocol: Any, reports: Reports, seed: int = 0) -> TrialReports:
    return TrialReports(protocol, reports, np.random.default_rng(seed))


def attacked(protocol: Any, rng: np.random.Generator) -> tuple[Reports, BoolArray]:
    """Reports of N genuine users and M fakes of MGA, mixed, and which of them are fakes."""
    genuine = protocol.perturb(rng.integers(0, protocol.domain_size, N), rng)
    fakes = protocol.craft(TARGETS, M, SeedSearch(200), rng)
    order = rng.permutation(N + M)
    return np.concatenate([genuine, fakes])[order], order >= N


def kept(verdict: Verdict) -> BoolArray:
    assert verdict.kept is not None
    return verdict.kept


@pytest.mark.parametrize("kind", FILTERS)
def test_reports_that_it_cannot_read_are_called_by_the_name_of_their_kind(kind: str) -> None:
    for name, spec in KINDS.items():
        why = made(kind).reads(spec.mechanism) if is_a(spec.mechanism, LocalMechanism) else None
        called = spec.mechanism.__name__
        assert why is None or called.lower() == name or not why.startswith(called), why


@pytest.mark.every(2)
@pytest.mark.parametrize("protocol", [OUE(24, 1.0), SUE(24, 2.0), OLH(24, 2.0)])
def test_fiad_finds_mga_and_nothing_else(protocol: Any, rng: np.random.Generator) -> None:
    reports, fakes = attacked(protocol, rng)
    verdict = FIAD().sift(received(protocol, reports))
    full = protocol.supports(reports)[:, TARGETS].all(axis=1)
    assert verdict.alarm
    assert (~kept(verdict))[full].all()
    if full[fakes].all():  # hashing does not always match all targets
        assert np.array_equal(~kept(verdict), full)  # the users of the full set, no other
    assert verdict.score is not None
    assert area_under(verdict.score, fakes) > 0.98
    shared = protocol.supports(reports)[:, TARGETS].sum(axis=1)
    assert np.array_equal(verdict.score, shared)
    again = FIAD().sift(received(protocol, reports, seed=1))
    assert np.array_equal(kept(again), kept(verdict))  # it draws nothing


@pytest.mark.every(2)
@pytest.mark.parametrize("flag", ["in-turn", "any"])
def test_fiad_takes_thresholds_in_place_of_those_of_eta(
    flag: Any, rng: np.random.Generator
) -> None:
    """Those of η, given as shares, flag the same users; the last one holds for larger sets."""
    protocol = OUE(24, 1.0)
    reports, fakes = attacked(protocol, rng)
    users = len(reports)
    counts = [itemset_threshold(protocol, size, users, 0.01) for size in range(1, 11)]
    shares = tuple((count - 0.5) / users for count in counts)
    usual = FIAD(flag=flag).sift(received(protocol, reports))
    given = FIAD(flag=flag, thresholds=shares, chance=0.5).sift(received(protocol, reports))
    assert np.array_equal(kept(given), kept(usual))
    assert not kept(usual)[fakes].any()
    one = FIAD(flag=flag, thresholds=(1.0,)).sift(received(protocol, reports))
    assert kept(one).all()  # no set is in all reports
    every = protocol.supports(reports)[:, TARGETS].all(axis=1)
    pair = (1.0, every.mean() + 0.5 / users)  # the largest sets stay below it by one report
    above = FIAD(flag=flag, thresholds=pair).sift(received(protocol, reports))
    assert not np.array_equal(kept(above), kept(one))  # pairs are in more reports


@pytest.mark.parametrize(
    ("thresholds", "words"),
    [((), "name a share for each size"), ((0.5, 0.0), r"in \(0, 1\], got 0"), ((1.5,), "got 1.5")],
)
def test_fiad_refuses_thresholds_that_are_no_shares(thresholds: Any, words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        FIAD(thresholds=thresholds)


def test_fiad_as_printed_flags_the_users_of_every_abnormal_set(rng: np.random.Generator) -> None:
    """Against plain loops: an honest user of any abnormal set of targets is out as well."""
    protocol = OUE(12, 1.0)
    genuine = protocol.perturb(rng.integers(0, 12, N), rng)
    crafted = protocol.craft(np.array([1, 4, 6, 7, 10]), M, SeedSearch(), rng)
    reports, fakes = np.concatenate([genuine, crafted]), np.arange(N + M) >= N
    bits, total = protocol.supports(reports), len(reports)
    out = np.zeros(total, dtype=np.bool_)
    for size in range(1, 7):
        level = itemset_threshold(protocol, size, total, 0.01)
        for items in combinations(range(12), size):
            users = bits[:, items].all(axis=1)
            if users.sum() >= max(level, 0.005 * total):
                out |= users
    printed = FIAD(max_size=6, flag="any").sift(received(protocol, reports))
    assert np.array_equal(~kept(printed), out)
    in_turn = FIAD(max_size=6).sift(received(protocol, reports))
    assert out[~kept(in_turn)].all()
    assert (out & ~fakes).sum() > 5 * (~kept(in_turn) & ~fakes).sum()


def test_in_turn_ends_when_no_set_exceeds(rng: np.random.Generator) -> None:
    """MGA-A: no set has all fakes. What is left supports no set of the size it was found by."""
    protocol = OUE(24, 1.0)
    genuine = protocol.perturb(rng.integers(0, 24, N), rng)
    fakes = protocol.find_law(Ask("subset", TARGETS, subset=4)).reports(2 * M, rng)
    reports = np.concatenate([genuine, fakes])
    verdict = FIAD().sift(received(protocol, reports))
    forged = np.arange(len(reports)) >= N
    assert (~kept(verdict) & forged).sum() > 0.8 * forged.sum()
    bits = protocol.supports(reports)[kept(verdict)]
    for size in (3, 4, 5):
        level = itemset_threshold(protocol, size, len(reports), 0.01)
        for items in combinations(TARGETS.tolist(), size):
            assert bits[:, items].all(axis=1).sum() < level


@pytest.mark.parametrize("eta", [0.01, 0.3])
def test_honest_reports_are_abnormal_at_most_at_the_stated_rate(eta: float) -> None:
    """Exact: the worst case is that all users hold items of the set."""
    users = 3000
    for size in (2, 3):
        oue, olh = OUE(9, 1.0), OLH(9, 1.0)
        for f in (0.0, 0.4, 1.0):
            for protocol in (oue, olh):
                rate = f * protocol.p * protocol.q ** (size - 1) + (1 - f) * protocol.q**size
                level = itemset_threshold(protocol, size, users, eta)
                assert stats.binom.sf(level - 1, users, rate) <= eta


@pytest.mark.parametrize("protocol", [OUE(7, 1.0), OLH(7, 1.5)])
def test_the_law_of_the_number_of_ones(protocol: Any, rng: np.random.Generator) -> None:
    bits = protocol.supports(protocol.perturb(rng.integers(0, 7, 20_000), rng))
    observed, law = np.bincount(bits.sum(axis=1), minlength=8), ones_law(protocol)
    assert law.sum() == pytest.approx(1)
    assert budget.law(observed, law)
    shifted = np.roll(law, 1)
    assert not budget.law(observed, shifted)


@pytest.mark.parametrize(("protocol", "seed"), [(OUE(8, 1.0), 0), (OUE(6, 2.0), 1)])
def test_diffstats_against_plain_loops(protocol: Any, seed: int) -> None:
    rng, d, top = np.random.default_rng(seed), protocol.domain_size, 3
    genuine = protocol.perturb(rng.integers(0, d, 900), rng)
    reports = np.concatenate([genuine, protocol.craft(np.array([2, 5]), 100, SeedSearch(), rng)])
    bits, law = protocol.supports(reports), ones_law(protocol)
    ones, total = bits.sum(axis=1), len(reports)
    observed = np.bincount(ones, minlength=d + 1)
    left, best, out = set(range(d + 1)), np.inf, np.zeros(total, dtype=np.bool_)
    while len(left) > 1:
        left.remove(min(left, key=lambda k: (observed[k] - total * law[k]) ** 2))
        within = np.isin(ones, list(left))
        first = np.argsort(-bits[within].sum(axis=0), kind="stable")[:top]
        for size in range(1, top + 1):
            for items in combinations(first, size):
                group = within & bits[:, items].all(axis=1)
                expected = (total - group.sum()) * law
                rest = np.bincount(ones[~group], minlength=d + 1)
                misfit = ((rest - expected) ** 2 / expected).sum()
                if misfit < best * (1 - 1e-12):
                    best, out = misfit, group
    assert np.array_equal(~kept(Diffstats(top).sift(received(protocol, reports))), out)


@pytest.mark.parametrize("protocol", [OUE(30, 1.0), OLH(30, 1.0)])
def test_shares_of_supporters_have_their_closed_form(
    protocol: Any, rng: np.random.Generator
) -> None:
    """CJG section 6.3, for the item j = 4, the target 7 and another item."""
    f, users, fakes, j, target = np.full(30, 0.7 / 29), 60_000, 6_000, 4, 7
    f[j] = 0.3
    held = np.repeat(np.arange(30), np.round(f * users).astype(int))
    crafted = protocol.craft(np.array([target]), fakes, SeedSearch(1), rng)
    reports = np.concatenate([protocol.perturb(held, rng), crafted])
    bits = protocol.supports(reports)
    p, q, b, r = protocol.p, protocol.q, fakes / len(held), 1
    if hasattr(protocol, "padding"):
        ones = protocol.padding(r)
        pad, both = ones / 29, ones / 29 * (ones - 1) / 28
    else:
        pad, both = q, q * q
    shares = {}
    for u, rate, joint in ((target, 1.0, pad), (9, pad, both)):
        single = f[u] * p + (1 - f[u]) * q
        shares[u] = (q * single + f[j] * q * (p - q) + b * joint) / (single + b * rate)
    # The product of two bits of the same honest user: f_u p q + f_j p q + (1 - f_u - f_j) q².
    for u, share in shares.items():
        supporters = bits[:, u]
        hits, of = int(bits[supporters, j].sum()), int(supporters.sum())
        assert budget.proportion(hits, of, share)
        assert not budget.proportion(hits, of, share * 0.9)
    assert shares[target] < shares[9]


@pytest.mark.parametrize("protocol", [OUE(102, 1.0), OLH(102, 1.0)])
def test_conditional_probability_names_a_target_of_few_fakes(
    protocol: Any, rng: np.random.Generator
) -> None:
    """It tells no fakes; with j the item that half of the users hold it names the target."""
    held = np.where(rng.random(40_000) < 0.9, 0, rng.integers(1, 102, 40_000))
    crafted = protocol.craft(np.array([50]), 6_000, SeedSearch(1), rng)
    reports = np.concatenate([protocol.perturb(held, rng), crafted])

    class Zero:
        """A generator that draws item 0."""

        def integers(self, _: int) -> int:
            return 0

    made: Any = Zero()
    verdict = Conditional(top=10).sift(TrialReports(protocol, reports, made))
    assert verdict.kept is None
    assert verdict.named.tolist() == [50]


def test_a_roc_curve_by_plain_loops(rng: np.random.Generator) -> None:
    score, fakes = rng.integers(0, 6, 60).astype(float), rng.random(60) < 0.3
    pairs = [(a, b) for a in score[fakes] for b in score[~fakes]]
    won = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs)
    assert area_under(score, fakes) == pytest.approx(won / len(pairs))
    wrong, caught = roc(score, fakes)
    for level in range(6):
        point = (score[~fakes] >= level).mean(), (score[fakes] >= level).mean()
        assert any(np.allclose(point, at) for at in zip(wrong, caught, strict=True))
    assert (wrong[0], caught[0], wrong[-1], caught[-1]) == (0, 0, 1, 1)
    assert area_under(np.zeros(60), fakes) == 0.5


@pytest.mark.parametrize(("items", "epsilon"), [(8, 1.0), (128, 2.0), (1024, 4.0)])
def test_the_law_of_ones_has_every_number_of_them(items: int, epsilon: float) -> None:
    protocol = OUE(items, epsilon)
    law = ones_law(protocol)
    assert law.size == items + 1
    assert law.sum() == pytest.approx(1)
    mean = protocol.p + (items - 1) * protocol.q
    assert law @ np.arange(items + 1) == pytest.approx(mean)
