"""RAPPOR with Bloom filters: reports, the distribution of their bit counts, and the decoding.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014 (RAP below).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NoReturn

import numpy as np

from ...base.errors import ScenarioError
from ...base.sampling import (
    Counts,
    Floats,
    binomial,
    binomials,
    multinomial,
    packed_picks,
    subset_counts,
    without_padding,
)
from ...base.secure import generator
from ...kernels.threads import one_thread
from ...law.enumeration import CELLS, ReportLaw, bits_name, independent_bits, item_name
from ...law.law import Ask, BitLaw, Lack, Law, holding
from ...law.loss import DiscreteLoss, one_bit
from ...law.moments import Collection, EstimateMoments
from ...law.pure import (
    BoolArray,
    Estimates,
    Items,
    Reports,
    Rng,
    array_of,
    check_padding,
    items_of,
)
from . import count_forms
from .decoding import Decoding, bit_frequencies, decode
from .filters import Filters, RapporMemory

ROWS = 1 << 21  # (user, bit) pairs counted at once


@dataclass(frozen=True)
class Rappor(Filters, RapporMemory, EstimateMoments):
    """RAPPOR with a Bloom filter: the full form, and the one-time form with p = 0 and q = 1.

    Reports are a structured array [n] of (cohort, bits): uint32, and uint8[ceil(k/8)], packed,
    lowest bit first in the highest place (np.packbits). Bit counts are int64[m, k + 1]: the users
    of each cohort who sent each bit as 1, and in the last column all users of the cohort; counts of
    different users add up.
    """

    called: ClassVar[str] = "RAPPOR"
    family: ClassVar[str] = "rappor"
    place: ClassVar[str] = "bit"
    libraries: ClassVar[tuple[str, ...]] = (
        "scipy.linalg", "scipy.sparse", "scipy.special", "threadpoolctl",
    )  # fmt: skip
    """The libraries that are imported when it is first used."""
    extras: ClassVar[tuple[str, ...]] = ("sklearn.linear_model",)
    """The optional ones that it may need: an import takes a second."""
    lacks: ClassVar[dict[str, str]] = {
        "supports": "RAPPOR's Bloom filters, whose bits stand for several items each",
        "sample_background": "RAPPOR's Bloom filters, for which no best way to hide is known",
        "subset": "RAPPOR's Bloom filters, where targets share bits: subsets have no own law",
        "disguised": "RAPPOR's Bloom filters, whose number of ones depends on item and cohort",
    }

    @property
    def epsilon(self) -> float:
        """ε of one report, in nats; a smaller ε holds for two items that share bits."""
        return self.noise.epsilon_one(self.hashes)

    @property
    def solver(self) -> str | None:
        """The library that selects among too many candidates; None if no selection is needed."""
        return self.extras[0] if self.design.selects else None

    # Laws of fakes.

    def law_of(self, ask: Ask) -> Law | Lack:
        match ask.law:
            case "honest" | "unperturbed":
                law = holding(self, ask, self._no_support)
                return replace(law, shape=partial(self._held_bits, ask))
            case "random":
                rates = np.full((self.cohorts, self.bits), 0.5)
                bits = BitLaw(self.cohort_law, rates)
                return Law(self._uniform, self._uniform_counts, shape=lambda: bits)
            case "crafted":
                return self._made(ask.targets, self.padding, own=True)
            case "avoided":
                return self._made(ask.targets, self.filling, own=False)
        return self.lack(ask)

    def _held_bits(self, ask: Ask) -> BitLaw:
        """The bits of a report of who holds a target, with the noise or without."""
        rates = self.design.bits_of(ask.frequencies(self.domain_size))
        if ask.law == "honest":
            rates = self.noise.p_star + self.noise.gap * rates
        return BitLaw(self.cohort_law, rates)

    def _no_support(self) -> NoReturn:
        raise ScenarioError("must not be RAPPOR: bits of Bloom filters are not items", key="law")

    def _made(self, targets: Items, filled: Callable[[Items], Items], *, own: bool) -> Law:
        """Reports with all bits of the targets (`own`) or none, and others at random.

        filled : the number of others in each cohort. Items are hashed where reports are drawn.
        """

        def reports(count: int, rng: Rng) -> Reports:
            aimed, pad = self.target_bits(targets), filled(targets)
            reports = self._empty_reports(count, rng)
            for cohort in np.unique(reports["cohort"]):
                rows, sent = np.flatnonzero(reports["cohort"] == cohort), aimed[cohort]
                sizes = np.full(rows.size, pad[cohort])
                padded = packed_picks(np.flatnonzero(~sent), sizes, self.bits, rng)
                reports["bits"][rows] = padded | np.packbits(sent) if own else padded
            return reports

        def counts(count: Counts, rng: Rng) -> Counts:
            aimed, pad = self.target_bits(targets), filled(targets)
            users = multinomial(count, self.cohort_law, rng)
            counts = np.zeros((count.size, self.cohorts, self.bits + 1), dtype=np.int64)
            counts[:, :, -1] = users
            for cohort in range(self.cohorts):
                pickers = np.zeros((count.size, pad[cohort] + 1), dtype=np.int64)
                pickers[:, pad[cohort]] = users[:, cohort]
                targeted, others = np.flatnonzero(aimed[cohort]), np.flatnonzero(~aimed[cohort])
                if own:
                    counts[:, cohort, targeted] = users[:, cohort, None]
                counts[:, cohort, others] = subset_counts(pickers, others.size, rng)
            return counts

        def shape() -> BitLaw:
            aimed, pad = self.target_bits(targets), filled(targets)
            others = np.maximum(self.bits - aimed.sum(axis=1), 1)
            return BitLaw(self.cohort_law, np.where(aimed, float(own), (pad / others)[:, None]))

        return Law(reports, counts, shape=shape)

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        users = multinomial(count, self.cohort_law, rng)
        ones = binomials(users, 0.5, self.bits, rng)
        return np.concatenate([ones, users[..., None]], axis=-1)

    # Reports, user by user.

    @property
    def report_bits(self) -> float:
        """The number of bits of one report: a Bloom filter, and a cohort."""
        return self.bits + math.log2(self.cohorts)

    @property
    def _report(self) -> np.dtype[Any]:
        return np.dtype([("cohort", "<u4"), ("bits", "u1", (-(-self.bits // 8),))])

    def _empty_reports(self, count: int, rng: Rng) -> Reports:
        """Reports without a bit, of users spread over the cohorts."""
        reports = np.zeros(count, dtype=self._report)
        reports["cohort"] = rng.integers(0, self.cohorts, size=count)
        if self.crowd:
            reports["cohort"][rng.random(count) < self.crowd] = 0
        return reports

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        return self.memoised_reports(items_of(values, self.domain_size), rng, rng)

    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:
        reports, chain = self._empty_reports(values.size, permanent), self.noise.chain
        kept = chain.keep_bits(self.packed_filters(values, reports["cohort"]), self.bits, permanent)
        reports["bits"] = chain.send_bits(kept, self.bits, fresh)
        return reports

    def _uniform(self, count: int, rng: Rng) -> Reports:
        reports = self._empty_reports(count, rng)
        bits = rng.integers(0, 256, size=reports["bits"].shape, dtype=np.uint8)
        reports["bits"] = without_padding(bits, self.bits)
        return reports

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """Reports[n]: the Bloom filters of the items int64[n] in random cohorts, without noise."""
        reports = self._empty_reports(values.size, rng)
        reports["bits"] = self.packed_filters(values, reports["cohort"])
        return reports

    def validate_reports(self, reports: object, count: int) -> Reports:
        sent = array_of(reports, (count,), self._report)
        if count and sent["cohort"].max() >= self.cohorts:
            most = sent["cohort"].max()
            raise ValueError(f"must have cohorts in [0, {self.cohorts}), got {most}")
        check_padding(sent["bits"], self.bits)
        return sent

    def unpack(self, reports: Reports) -> BoolArray:
        """bool[n, k]: the unpacked bits of reports, for small n."""
        return np.unpackbits(reports["bits"], axis=1, count=self.bits).view(np.bool_)

    def support_counts(self, reports: Reports) -> Counts:
        """int64[m, k + 1]: the reports of each cohort with each bit; in the last column all its
        reports.
        """
        counts = np.zeros((self.cohorts, self.bits + 1), dtype=np.int64)
        counts[:, -1] = np.bincount(reports["cohort"], minlength=self.cohorts)
        ordered = reports["bits"][np.argsort(reports["cohort"], kind="stable")]
        ends, step = np.cumsum(counts[:, -1]), max(1, ROWS // self.bits)
        for cohort in np.flatnonzero(counts[:, -1]):
            for at in range(ends[cohort] - counts[cohort, -1], ends[cohort], step):
                rows = ordered[at : min(at + step, ends[cohort])]
                bits = np.unpackbits(rows, axis=1, count=self.bits)
                counts[cohort, :-1] += bits.sum(axis=0, dtype=np.int64)
        return counts

    # Bit counts, without the users: [trials, m, k + 1].

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        """int64[trials, m, k + 1]: random bit counts of honest reports, from int64[trials, d] users
        per item.

        The users of an item are spread over the cohorts by one multinomial draw. The number of
        users of a cohort with each true bit is then known, and a bit's count is the sum of two
        binomial draws.
        """
        counts = np.empty((len(histogram), self.cohorts, self.bits + 1), dtype=np.int64)
        law = self.cohort_law
        for row, held in enumerate(histogram):
            spread = rng.multinomial(held, law)
            users = spread.sum(axis=0)
            ones = self.bit_users(spread)
            sent = binomial(ones, self.noise.q_star, rng)
            counts[row, :, :-1] = sent + binomial(users[:, None] - ones, self.noise.p_star, rng)
            counts[row, :, -1] = users
        return counts

    def spread_users(self, newcomers: Counts, rng: Rng) -> Counts:
        return rng.multinomial(newcomers, self.cohort_law)

    def tally_bits(self, bits: Counts, users: Counts) -> Counts:
        """int64[m, k + 1]: the bit counts and the users of each cohort."""
        return np.hstack([bits, users])

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        counts = np.empty((len(histogram), self.cohorts, self.bits + 1), dtype=np.int64)
        for row, held in enumerate(histogram):
            spread = rng.multinomial(held, self.cohort_law)
            counts[row, :, :-1], counts[row, :, -1] = self.bit_users(spread), spread.sum(axis=0)
        return counts

    def concentrate_cohorts(self, share: float) -> Rappor:
        """The protocol of fakes of whom this fraction claims cohort 0, and the others a uniform
        cohort.
        """
        return replace(self, crowd=share)

    # The law of one report, and its consequences for a collection.

    bit_gain = count_forms.bit_gain
    ideal_bit_gain = count_forms.ideal_bit_gain
    bit_counts = count_forms.bit_counts
    bit_count_variances = count_forms.bit_count_variances
    means = count_forms.means
    doubts = count_forms.doubts

    def variances(self, collection: Collection) -> None:
        """None: the variance of least-squares decoding has no exact closed form."""

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report of all cohorts for every item; None if there are too
        many.
        """
        d, k, m = self.domain_size, self.bits, self.cohorts
        if k > 20 or d * m << k > CELLS:
            return None
        filters = (self.encode(np.arange(d), np.full(d, cohort)) for cohort in range(m))
        rates = (np.where(each, self.noise.q_star, self.noise.p_star) for each in filters)
        return ReportLaw(
            np.concatenate([independent_bits(each) / m for each in rates], axis=1),
            item_name,
            lambda y: f"cohort {y >> k}, bits {bits_name(y & (1 << k) - 1, k)}",
        )

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items that share no bit."""
        p, q = self.noise.p_star, self.noise.q_star
        return one_bit(q, p).times(self.hashes).then(one_bit(p, q).times(self.hashes))

    # The server.

    def bit_frequencies(self, counts: Counts) -> tuple[Floats, Floats]:
        """Each bit's estimated share of a cohort's users and its deviation:
        `decoding.bit_frequencies`.
        """
        return bit_frequencies(counts, self.noise)

    def decode(self, counts: Counts) -> Decoding:
        """The frequencies and significance of all items, from bit counts int64[m, k + 1]."""
        p, q = self.noise.p_star, self.noise.q_star
        return decode(self.design, counts, p, q, self.alpha, self.adjust)

    def estimates(self, counts: Counts, users: int) -> Estimates:  # noqa: ARG002
        """The decoded frequencies float64[trials, d], from bit counts int64[trials, m, k + 1]."""
        with one_thread():
            trials = [self.decode(trial) for trial in counts]
        frequencies = np.array([trial.frequencies for trial in trials])
        return Estimates(frequencies, np.array([trial.detected for trial in trials]))
