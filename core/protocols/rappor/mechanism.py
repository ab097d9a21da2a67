"""RAPPOR with Bloom filters: reports, the law of their bit counts, and how they are decoded.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014 (RAP below).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ScenarioError
from ...base.ranges import ALPHA, DOMAIN, check_bounds
from ...base.sampling import (
    Counts,
    Floats,
    binomial,
    binomials,
    multinomial,
    packed_picks,
    set_bits,
    subset_counts,
    without_padding,
)
from ...base.secure import generator
from ...kernels.threads import one_thread
from ...law.capabilities import Attendance
from ...law.doors import Doors
from ...law.law import Ask, Lack, Law, holding
from ...law.loss import DiscreteLoss, one_bit
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
from ..chains import Sent, memoised_counts
from . import counted, decoded, laws
from .decoding import Adjust, Decoding, Design, bit_frequencies, decode
from .filters import BITS, COHORTS, HASHES, bloom_bits, bloom_design
from .memoised import KeptBits
from .noise import PROBABILITY, BitNoise

ROWS = 1 << 21  # (user, bit) pairs counted at once


@dataclass(frozen=True)
class Rappor(KeptBits, Doors):
    """RAPPOR with a Bloom filter: the full form, and one-time where p = 0 and q = 1.

    Reports are a structured array [n] of (cohort, bits): uint32, and uint8[ceil(k/8)], packed,
    lowest bit first in the highest place (np.packbits). Bit counts are int64[m, k + 1]: how many
    users of each cohort sent each bit as 1, and in the last column how many users the cohort has;
    counts of different users add up.

    alpha, adjust : when decoding calls an item detected. labels : the values that are hashed.
    crowd : the share of users that claim cohort 0, the others uniform over all; 0 for honest ones.
    None of these four is part of what addresses the random streams: how counts are decoded does not
    change them, and the same users draw the same noise whatever their values are called.
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
        "conditioned": "RAPPOR's Bloom filters, for which no best way to hide is known",
        "subset": "RAPPOR's Bloom filters, where targets share bits: subsets have no own law",
        "disguised": "RAPPOR's Bloom filters, whose number of ones depends on item and cohort",
    }

    domain_size: Annotated[int, DOMAIN]
    bits: Annotated[int, BITS]
    hashes: Annotated[int, HASHES]
    cohorts: Annotated[int, COHORTS]
    noise: BitNoise
    alpha: Annotated[float, ALPHA] = field(default=0.05, repr=False)
    adjust: Adjust = field(default="bonferroni", repr=False)
    labels: tuple[str, ...] | None = field(default=None, repr=False)
    crowd: Annotated[float, PROBABILITY] = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.labels is not None and len(self.labels) != self.domain_size:
            raise ScenarioError(
                f"must be as many as the items, {self.domain_size}, got {len(self.labels)}",
                key="labels",
            )

    @property
    def epsilon(self) -> float:
        """ε of one report, in nats; less of two items that share bits."""
        return self.noise.epsilon_one(self.hashes)

    @property
    def _hashed(self) -> tuple[int | tuple[str, ...], int, int, int]:
        return self.labels or self.domain_size, self.bits, self.hashes, self.cohorts

    @property
    def table(self) -> NDArray[np.uint8]:
        """uint8[d, cohorts, hashes]: the bits that each item sets in each cohort."""
        return bloom_bits(*self._hashed)

    @property
    def solver(self) -> str | None:
        """The library that selects candidates where they are very many."""
        return self.extras[0] if self.design.selects else None

    @property
    def design(self) -> Design:
        return bloom_design(*self._hashed)

    @property
    def cohort_law(self) -> Floats:
        """float64[m]: the probability of each cohort."""
        crowd = self.crowd * (np.arange(self.cohorts) == 0)
        return np.asarray((1 - self.crowd) / self.cohorts + crowd)

    # Laws of fakes.

    def law_of(self, ask: Ask) -> Law | Lack:
        match ask.law:
            case "honest" | "unperturbed":
                bits = laws.honest_bits if ask.law == "honest" else laws.unperturbed_bits
                return replace(
                    holding(self, ask, self._no_support),
                    shape=lambda: bits(self, ask.frequencies(self.domain_size)),
                )
            case "random":
                shape = partial(laws.random_bits, self)
                return Law(self._uniform, self._uniform_counts, shape=shape)
            case "crafted":
                return self._made(ask.targets, self.padding, own=True)
            case "avoided":
                return self._made(ask.targets, self.filling, own=False)
        return self.lack(ask)

    def _no_support(self) -> NoReturn:
        raise ScenarioError("must not be RAPPOR's, whose bits do not stand for items", key="law")

    def _made(self, targets: Items, filled: Callable[[Items], Items], *, own: bool) -> Law:
        """Reports with all bits of the targets (`own`) or none, and others at random.

        filled : the number of others in each cohort. Items are hashed where reports are drawn.
        """

        def reports(count: int, rng: Rng) -> Reports:
            aimed, pad = self.aimed(targets), filled(targets)
            reports = self._empty_reports(count, rng)
            for cohort in np.unique(reports["cohort"]):
                rows, sent = np.flatnonzero(reports["cohort"] == cohort), aimed[cohort]
                sizes = np.full(rows.size, pad[cohort])
                padded = packed_picks(np.flatnonzero(~sent), sizes, self.bits, rng)
                reports["bits"][rows] = padded | np.packbits(sent) if own else padded
            return reports

        def counts(count: Counts, rng: Rng) -> Counts:
            aimed, pad = self.aimed(targets), filled(targets)
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

        shape = partial(laws.made_bits, self, targets, filled, float(own))
        return Law(reports, counts, shape=shape)

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        users = multinomial(count, self.cohort_law, rng)
        ones = binomials(users, 0.5, self.bits, rng)
        return np.concatenate([ones, users[..., None]], axis=-1)

    # Reports, user by user.

    @property
    def report_bits(self) -> float:
        """A Bloom filter, and a cohort."""
        return self.bits + math.log2(self.cohorts)

    @property
    def _report(self) -> np.dtype[Any]:
        return np.dtype([("cohort", "<u4"), ("bits", "u1", (-(-self.bits // 8),))])

    def packed_filters(self, values: Items, cohorts: Items) -> Reports:
        """uint8[n, ceil(k/8)]: the Bloom filter of each item in its cohort, h bits or fewer."""
        filters = np.zeros((values.size, -(-self.bits // 8)), dtype=np.uint8)
        ones = np.ones(values.size, dtype=np.bool_)
        for bits in self.table[values, cohorts].T.astype(np.int64):
            set_bits(filters, bits, ones)
        return filters

    def encode(self, values: Items, cohorts: Items) -> BoolArray:
        """bool[n, k]: the same, a bit each."""
        packed = self.packed_filters(values, cohorts)
        return np.unpackbits(packed, axis=1, count=self.bits).view(np.bool_)

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
        kept = chain.keep(self.packed_filters(values, reports["cohort"]), self.bits, permanent)
        reports["bits"] = chain.send(kept, self.bits, fresh)
        return reports

    def _uniform(self, count: int, rng: Rng) -> Reports:
        reports = self._empty_reports(count, rng)
        bits = rng.integers(0, 256, size=reports["bits"].shape, dtype=np.uint8)
        reports["bits"] = without_padding(bits, self.bits)
        return reports

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """Reports of these items' own Bloom filters."""
        reports = self._empty_reports(values.size, rng)
        reports["bits"] = self.packed_filters(values, reports["cohort"])
        return reports

    def received(self, reports: object, count: int) -> Reports:
        sent = array_of(reports, (count,), self._report)
        if count and sent["cohort"].max() >= self.cohorts:
            most = sent["cohort"].max()
            raise ValueError(f"must have cohorts in [0, {self.cohorts}), got {most}")
        check_padding(sent["bits"], self.bits)
        return sent

    def unpack(self, reports: Reports) -> BoolArray:
        """bool[n, k]: the bits of reports. For small n."""
        return np.unpackbits(reports["bits"], axis=1, count=self.bits).view(np.bool_)

    def speaks(self, reports: Reports, items: Items) -> NDArray[np.int8]:
        """int8[n, items]: an item's bits in the report's cohort: ones less zeros."""
        bits, table = self.unpack(reports), self.table
        said = np.full((len(reports), items.size), -self.hashes, dtype=np.int8)
        for hashed in range(self.hashes):
            places = table[items, :, hashed].T[reports["cohort"]].astype(np.intp)
            said += 2 * np.take_along_axis(bits, places, axis=1).astype(np.int8)
        return said

    def support_counts(self, reports: Reports) -> Counts:
        """The bit counts of reports: int64[m, k + 1], the last column counts users."""
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
        """The law of `support_counts(perturb(…))` for int64[trials, d] users per item.

        The users of an item are spread over the cohorts by one multinomial; how many users of a
        cohort have a bit set is then known, and its count is a sum of two binomials.
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

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        return memoised_counts(self, self.noise.chain, rounds)

    def spread(self, newcomers: Counts, rng: Rng) -> Counts:
        """int64[d, m]: new users, int64[d] of each item, in the cohorts that they claim."""
        return rng.multinomial(newcomers, self.cohort_law)

    def tally(self, sent: Sent) -> Counts:
        """int64[m, k + 1]: the bit counts and the users of each cohort."""
        return np.hstack([sent.bits, sent.users])

    def bit_users(self, spread: Counts) -> Counts:
        """int64[m, k]: users whose filter has each bit, for int64[d, m] users per item, cohort."""
        ones = np.zeros(self.cohorts * self.bits, dtype=np.int64)
        table, offsets = self.table, self.bits * np.arange(self.cohorts)
        for hashed in range(self.hashes):
            bits = table[:, :, hashed]
            # A bit that an earlier hash of the same item has set counts once.
            fresh = (bits[:, :, None] != table[:, :, :hashed]).all(axis=2)
            np.add.at(ones, (bits + offsets)[fresh], spread[fresh])
        return ones.reshape(self.cohorts, self.bits)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        counts = np.empty((len(histogram), self.cohorts, self.bits + 1), dtype=np.int64)
        for row, held in enumerate(histogram):
            spread = rng.multinomial(held, self.cohort_law)
            counts[row, :, :-1], counts[row, :, -1] = self.bit_users(spread), spread.sum(axis=0)
        return counts

    # The reports of fakes.

    def concentrated(self, share: float) -> Rappor:
        """The protocol of fakes, this share of whom claims cohort 0, the others any cohort."""
        return replace(self, crowd=share)

    @property
    def expected_ones(self) -> float:
        """Ones that an honest report has on average, over all hash functions."""
        true = self.bits * (1 - (1 - 1 / self.bits) ** self.hashes)
        return true * self.noise.q_star + (self.bits - true) * self.noise.p_star

    def aimed(self, targets: Items) -> BoolArray:
        """bool[m, k]: the bits that any target sets in each cohort."""
        aimed = np.zeros((self.cohorts, self.bits), dtype=np.bool_)
        cohorts = np.arange(self.cohorts)[None, :, None]
        aimed[cohorts, self.table[targets]] = True
        return aimed

    def padding(self, targets: Items) -> Items:
        """int64[m]: other bits of a crafted report, so that its ones are as many as expected."""
        aimed = self.aimed(targets).sum(axis=1)
        pad = np.floor(self.expected_ones - aimed).astype(np.int64)
        return np.asarray(np.clip(pad, 0, self.bits - aimed))

    def filling(self, targets: Items) -> Items:
        """int64[m]: bits of a report without any bit of the targets, as many as expected."""
        room = self.bits - self.aimed(targets).sum(axis=1)
        return np.asarray(np.minimum(math.floor(self.expected_ones), room))

    # The law of one report, and its consequences for a collection.

    enumerate_reports = laws.every_report
    bit_gain = counted.bit_gain
    ideal_bit_gain = counted.ideal_bit_gain
    bit_counts = counted.bit_counts
    bit_count_variances = counted.bit_count_variances
    means = decoded.means
    variances = decoded.variances
    doubts = decoded.doubts

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items that share no bit."""
        p, q = self.noise.p_star, self.noise.q_star
        return one_bit(q, p).times(self.hashes).then(one_bit(p, q).times(self.hashes))

    # The server.

    def bit_frequencies(self, counts: Counts) -> tuple[Floats, Floats]:
        """Each bit's share of a cohort's filters and its deviation: `decoding.bit_frequencies`."""
        return bit_frequencies(counts, self.noise)

    def decode(self, counts: Counts) -> Decoding:
        """Frequencies of all items from bit counts int64[m, k + 1], and which are detected."""
        p, q = self.noise.p_star, self.noise.q_star
        return decode(self.design, counts, p, q, self.alpha, self.adjust)

    def pooled_estimates(self, counts: Counts, users: int) -> Estimates:
        """Decoded frequencies of the counts of several rounds, added up: they are decoded once."""
        return self.estimates(counts, users)

    def estimates(self, counts: Counts, users: int) -> Estimates:  # noqa: ARG002
        """Decoded frequencies of bit counts [trials, m, k + 1]."""
        with one_thread():
            trials = [self.decode(trial) for trial in counts]
        frequencies = np.array([trial.frequencies for trial in trials])
        return Estimates(frequencies, np.array([trial.detected for trial in trials]))
