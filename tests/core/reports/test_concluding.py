"""Claims in words, and what is heard of reports: the same however they come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import budget
from support.kinds import ONE_OF_EACH

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds.claims import Claim
from ldptui.core.defences import TrialReports
from ldptui.core.defences.floor import CertifiedFloor
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import Reports
from ldptui.core.protocols import KINDS, PROTOCOLS
from ldptui.core.protocols.curators import Geometric
from ldptui.core.protocols.curators.aggregate import Aggregate
from ldptui.core.reports import concluding
from ldptui.core.reports.claim_words import claim_of
from ldptui.core.theory.evidence import of_reports, of_sums

LABELS = ["apple", "pear", "fig", "7", "a+b", "new york"]


def bound(kind: str, items: int, epsilon: float = 1.0) -> Any:
    return KINDS[kind](kind=kind, epsilon=epsilon).bind(items)


def read(claim: Claim) -> tuple[dict[str, float], float]:
    """The weights by name, and the level."""
    made = claim.of(np.arange(6.0))
    weights = zip(made.items.tolist(), made.weights.tolist(), strict=True)
    return {LABELS[item]: weight for item, weight in weights}, made.above


@pytest.mark.parametrize(
    ("text", "weights", "level"),
    [
        ("apple > pear", {"apple": 1, "pear": -1}, 0),
        ("apple < pear", {"apple": -1, "pear": 1}, 0),
        ("apple + fig > pear + new york", {"apple": 1, "fig": 1, "pear": -1, "new york": -1}, 0),
        ("fig > 0.02", {"fig": 1}, 0.02),
        ("2 % < fig", {"fig": 1}, 0.02),
        ("fig < 5%", {"fig": -1}, -0.05),
        ("7 > 0.1", {"7": 1}, 0.1),
        ('"a+b" > 0.1 + fig', {"a+b": 1, "fig": -1}, 0.1),
        ("apple + apple > fig", {"apple": 2, "fig": -1}, 0),
        ("'new york'>1e-3", {"new york": 1}, 1e-3),
    ],
)
def test_a_claim_is_read(text: str, weights: dict[str, float], level: float) -> None:
    found, at = read(claim_of(text, LABELS))
    assert found == weights
    assert at == pytest.approx(level)


def test_a_rank_is_the_gap_to_the_next_other_item() -> None:
    claim = claim_of("fig in the top 3", LABELS)
    means = np.array([0.9, 0.1, 0.8, 0.5, 0.4, 0.0])
    made = claim.of(means)
    assert (made.items.tolist(), claim.tests) == ([2, 4], 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("apple >> pear", "must compare once"),
        ("apple > pear > fig", "must compare once"),
        ("apple >", "must have sums"),
        ("appel > pear", 'items of the domain, got "appel"'),
        ("apple pear > fig", 'got "apple pear"'),
        ("apple + > fig", "must have sums"),
        ("apple", "must compare once"),
        ('"apple > pear', "close its quotes"),
        ("fig in top 6", "a top of 1 to 5 items, got 6"),
        ("fog in top 2", 'got "fog"'),
        ("apple > apple", "the same on both sides"),
        ("0.2 > 0.1", "the same on both sides"),
        ("apple > nan", 'got "nan"'),
        ("", "must compare once"),
    ],
)
def test_a_claim_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(ScenarioError, match="claim must") as caught:
        claim_of(text, LABELS)
    assert words in str(caught.value)


def reports_of(protocol: Any, users: int, fakes: int, targets: int = 8) -> Reports:
    """Users of a falling law, and fakes of MGA behind them."""
    rng, d = np.random.default_rng(1), protocol.domain_size
    held = 1 / np.arange(1, d + 1)
    honest = protocol.perturb(rng.choice(d, users, p=held / held.sum()), rng)
    if not fakes:
        return np.asarray(honest)
    ask = Ask("crafted", np.arange(d - targets, d))
    return np.concatenate([honest, protocol.find_law(ask).reports(fakes, rng)])


def heard(protocol: Any, reports: Reports, batch: int) -> concluding.Heard:
    def read() -> Iterator[Reports]:
        return (reports[at : at + batch] for at in range(0, len(reports), batch))

    return concluding.hear_batches(read, protocol)


def test_what_is_heard_does_not_depend_on_batches_and_needs_no_report_twice() -> None:
    """Fakes at the very end of twice as many reports as are sampled: 4.8 of 5 % are proved."""
    protocol = bound("oue", 64)
    reports = reports_of(protocol, 63_650, 3350)
    assert len(reports) > 2 * concluding.SAMPLED
    found = heard(protocol, reports, 9999)
    assert found.counts.tolist() == protocol.support_counts(reports).tolist()
    assert found.reports == len(reports)
    assert 0.048 < found.floor.share <= 3350 / len(reports)
    assert sorted(found.floor.items.tolist()) == list(range(56, 64))
    bits = protocol.supports(reports)[:, found.floor.items]
    assert found.floor.seen == int(bits.all(axis=1).sum())
    assert heard(protocol, reports, len(reports)).floor.fakes == found.floor.fakes


@pytest.mark.parametrize("kind", [kind for kind in ONE_OF_EACH if kind in PROTOCOLS])
def test_honest_reports_prove_nothing_and_a_filter_says_the_same(kind: str) -> None:
    protocol = bound(kind, 32)
    for fakes in (0, 800):
        reports = reports_of(protocol, 8000, fakes, targets=4)
        floor = heard(protocol, reports, 3000).floor
        assert floor.share <= fakes / len(reports)
        step = CertifiedFloor()
        assert step.reads(protocol) is None
        verdict = step.sift(TrialReports(protocol, reports, np.random.default_rng(0)))
        assert (verdict.kept, verdict.alarm) == (None, floor.fakes > 0)
        assert verdict.certified == floor.share


def test_reports_without_a_support_law_are_refused_by_name() -> None:
    for kind, spec in KINDS.items():
        if kind in PROTOCOLS:
            continue
        protocol: Any = spec(kind=kind, epsilon=1.0).bind(8)
        assert CertifiedFloor().reads(protocol) is not None
        with pytest.raises(ScenarioError, match="no support law"):
            concluding.hear_batches(lambda: iter(()), protocol)


# Fakes who are held to something.

HONEST = np.array([0.5, 0.3, 0.2, 0.0])
FAKE = np.array([0.0, 0.0, 0.0, 1.0])
USERS, SHARE = 2_000, 0.05


def test_intervals_of_proved_reports_hold_where_fakes_choose_an_item() -> None:
    """For half of the fakes they do not."""
    protocol, trials, rng = bound("oue", 4), 2_000, np.random.default_rng(3)
    reports = 10 * USERS
    held = (reports * ((1 - SHARE) * HONEST + SHARE * FAKE)).astype(np.int64)
    means = protocol.sample_counts(np.tile(held, (trials, 1)), rng) / reports

    def covered(share: float) -> int:
        ends = [of_reports(protocol, each, reports, proved=True).intervals(share, 0.95, False)
                for each in means]  # fmt: skip
        low, high = np.swapaxes(ends, 0, 1)
        return int(((low <= HONEST) & (high >= HONEST)).sum(axis=0).min())

    for share, holds in ((SHARE, True), (SHARE / 2, False)):
        often = covered(share)
        enough = often > 0.95 * trials or bool(budget.proportion(often, trials, 0.95))
        assert enough == holds


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "curator",
    [
        Geometric(4, 1.0),
        *(Aggregate(4, 1.0, "change-one", c, 2 if c == "multihot" else None, 2)
          for c in ("histogram", "multihot", "sumvec")),
        Aggregate(4, 1.0, "change-one", "histogram", None, 2, "gaussian", 1e-6),
    ],
    ids=repr,
)  # fmt: skip
def test_intervals_of_sums_hold_by_the_law_of_the_noise(curator: Any) -> None:
    """Over all noises k: fakes all name one item, or none that anybody holds."""
    tails = [1.0, *(float(curator.tail(np.zeros(1), k)[0]) for k in range(400))]
    laws = -np.diff(tails) / np.where(np.arange(400) > 0, 2, 1)  # of k and of −k
    for fakes in (FAKE, FAKE[::-1]):
        total = (1 - SHARE) * HONEST + SHARE * fakes
        chance, naive = np.zeros(4), np.zeros(4)
        for k in range(-399, 400):
            if laws[abs(k)] < 1e-9:
                continue
            found = concluding.conclude_evidence(
                of_sums(curator, total + k / USERS, USERS), SHARE, labels=LABELS[:4]
            )
            chance += laws[abs(k)] * ((found.low <= HONEST) & (found.high >= HONEST))
            naive += laws[abs(k)] * ((found.naive_low <= HONEST) & (found.naive_high >= HONEST))
        assert chance.min() > 0.95 - 1e-6
        assert naive.min() < 0.5


def test_a_claim_about_a_sum_falls_to_as_many_items_as_a_proof_admits() -> None:
    claims = ["apple > pear", "apple + pear > 0.7"]
    for curator, votes in ((Geometric(4, 1.0), 1), (Aggregate(4, 1.0, circuit="sumvec"), 2)):
        found = concluding.conclude_evidence(
            of_sums(curator, HONEST, 10**9),
            SHARE,
            labels=LABELS[:4],
            claims=concluding.read_claims(claims, LABELS[:4]),
        )
        shares = [each.overturning.share for each in found.claims]
        assert shares == pytest.approx([0.2, 0.1 / (votes - 0.7)])
        # So many fakes make it of honest users of whom it is false.
        beta = shares[1]
        assert (1 - beta) * 0.7 + beta * votes == pytest.approx(HONEST[:2].sum())
