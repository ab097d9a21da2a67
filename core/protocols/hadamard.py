"""Hadamard response (HR): the report is a block of items and a column of a Hadamard matrix.

Acharya, Sun, Zhang, "Hadamard response: estimating distributions privately, efficiently, and with
little communication", AISTATS 2019. Item x is in block x div (b - 1), as row x mod (b - 1) + 1 of a
b × b matrix whose entry in row i and column u is (-1)^(i·u), with i·u the sum of the products of
their bits. A message supports the items of its block whose entry is 1, and speaks against the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Counts, Floats, binomial
from ..base.secure import generator
from ..law.enumeration import CELLS, ReportLaw, item_name
from ..law.loss import DiscreteLoss, signs
from ..law.pure import Items, OverItems, Reports, Rng, Supports, items_of
from .budget import Budget
from .few_messages import Messages

MESSAGES: Final = 2**22
"""Messages at most: a vector over them is 32 MiB."""


@dataclass(frozen=True)
class HadamardResponse(OverItems, Messages):
    """Hadamard response: a report is a block and a column of its matrix; those with a 1 in the row
    of the user's item are e^ε times as likely.

    A user sends a uniform message of those that support the user's item with probability τ, else a
    uniform message of all. Reports are uint32[n], block times b plus column. Raises ScenarioError
    if ε needs more than 2^22 messages.
    """

    called: ClassVar[str] = "HR"
    family: ClassVar[str] = "hadamard"
    least_support: ClassVar[float] = -1.0
    lacks: ClassVar[dict[str, str]] = {
        "columns": "HR, whose report is a block and a column, and supports half of a block at once",
        "subset": "HR, whose report supports half of a block and no part of it",
        "disguised": "HR, whose report is a block and a column and has no number of ones",
    }

    @property
    def blocks(self) -> int:
        """B, the number of blocks: the largest power of two below min(e^ε, 2d)."""
        limit = min(math.exp(self.epsilon), 2 * self.domain_size)
        return 1 << (math.ceil(limit) - 1).bit_length() - 1

    @property
    def block_size(self) -> int:
        """b, the size of a Hadamard block: the least power of two that is at least d/B + 1."""
        return 1 << (-(-self.domain_size // self.blocks)).bit_length()

    @property
    def messages(self) -> int:
        return self.blocks * self.block_size

    @property
    def agreeing(self) -> int:
        return self.block_size // 2

    @property
    def truthful(self) -> float:
        """The probability τ that a report is drawn only from messages that support the
        user's item.
        """
        more = math.expm1(self.epsilon) * self.agreeing
        return more / (more + self.messages)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.messages > MESSAGES:
            rule = f"must be small enough for a code of at most 2^22 messages, {got(self.epsilon)}"
            raise ScenarioError(f"{rule}, which takes {self.messages}", key="epsilon")

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        truthful = rng.random(values.size) < self.truthful
        reports = self._uniform(values.size, rng)
        reports[truthful] = self._agreeing(values[truthful], rng)
        return reports

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        truthful = binomial(histogram, self.truthful, rng)
        others = histogram.sum(axis=-1) - truthful.sum(axis=-1)
        return self._count_agreeing(truthful, others, rng)

    def _honest_law(self, frequencies: Floats) -> Floats:
        """float64[K]: an honest report of an item that is drawn with these probabilities."""
        any_message = (1 - self.truthful) / self.messages
        return np.asarray(self.truthful * self._agreed_law(frequencies) + any_message)

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item; None if there are too many."""
        if self.domain_size * self.messages > CELLS:
            return None
        agrees = self.supports(np.arange(self.messages, dtype=np.uint32)).T > 0
        any_message = (1 - self.truthful) / self.messages
        law = any_message + np.where(agrees, self.truthful / self.agreeing, 0.0)
        return ReportLaw(law, item_name, self.message_name)

    @property
    def p(self) -> float:
        return self.truthful

    @property
    def q(self) -> float:
        return 0.0

    def _places(self, items: Items) -> tuple[Items, Items]:
        """The block and the row of each item."""
        block, row = np.divmod(items, self.block_size - 1)
        return block, row + 1

    def supports(self, reports: Reports) -> Supports:
        block, row = self._places(np.arange(self.domain_size))
        sent, column = np.divmod(reports.astype(np.int64)[:, None], self.block_size)
        odd = np.bitwise_count(row & column) & 1
        return np.where(sent == block, 1 - 2 * odd.astype(np.int8), 0).astype(np.int8)

    def message_name(self, message: int) -> str:
        return f"block {message // self.block_size}, column {message % self.block_size}"

    def _agreeing(self, values: Items, rng: Rng) -> Reports:
        block, row = self._places(values)
        column = rng.integers(0, self.block_size, size=values.size)
        odd = (np.bitwise_count(row & column) & 1).astype(bool)
        # Another value of one bit that counts makes an odd sum even.
        column[odd] ^= row[odd] & -row[odd]
        return (block * self.block_size + column).astype(np.uint32)

    def _in_blocks(self, items: Any) -> Any:
        """[…, B, b], what belongs to items [..., d] at their rows; there is no item in row 0."""
        *shape, d = items.shape
        rows = np.zeros((*shape, self.blocks * (self.block_size - 1)), dtype=items.dtype)
        rows[..., :d] = items
        rows = rows.reshape(*shape, self.blocks, self.block_size - 1)
        return np.concatenate([np.zeros((*shape, self.blocks, 1), items.dtype), rows], axis=-1)

    def _of_items(self, rows: Any) -> Any:
        """[…, d], what stands at the rows [..., B, b] of the items."""
        return rows[..., 1:].reshape(*rows.shape[:-2], -1)[..., : self.domain_size]

    def _flat(self, blocks: Any) -> Any:
        return blocks.reshape(*blocks.shape[:-2], self.messages)

    def _heard(self, messages: Any) -> Any:
        blocks = messages.reshape(*messages.shape[:-1], self.blocks, self.block_size)
        return self._of_items(walsh_hadamard(blocks))

    def _weigh_messages(self, weights: Floats) -> Floats:
        return np.asarray(self._flat(walsh_hadamard(self._in_blocks(weights))))

    def _heard_squares(self, law: Floats) -> Floats:
        """The probability that a message is of the item's block."""
        sent = law.reshape(self.blocks, self.block_size).sum(axis=1)
        return np.asarray(self._of_items(np.repeat(sent[:, None], self.block_size, axis=1)))

    def _agreed_law(self, frequencies: Floats) -> Floats:
        rows = self._in_blocks(frequencies)
        even = rows.sum(axis=-1, keepdims=True) + walsh_hadamard(rows)
        return np.asarray(self._flat(even / self.block_size))

    def _send_truthfully(self, users: Counts, rng: Rng) -> Counts:
        return np.asarray(self._flat(even_columns(self._in_blocks(users), rng)))

    def unit_variance(self, frequency: float | Floats) -> float | Floats:
        """n times the variance of an estimate of this frequency, with the other users spread over
        all items.

        It depends on the users of the item's block, whose messages name that block more often.
        """
        d, e = self.domain_size, math.exp(self.epsilon)
        sizes = np.bincount(self._places(np.arange(d))[0])
        others = (float(sizes @ sizes) / d - 1) / (d - 1)
        block = frequency + (1 - frequency) * others
        return (2 + (e - 1) * block) / (e - 1 + 2 * self.blocks) / self.p**2 - frequency

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items, of different blocks if there are several blocks."""
        apart = self.domain_size > self.block_size - 1
        own = self.agreeing * (1 if apart else 1 / 2) * (1 - self.truthful) / self.messages
        return signs(self.epsilon, own * math.exp(self.epsilon), own)


def walsh_hadamard(rows: Any) -> Any:
    """[…, b]: each row (last axis) times the Hadamard matrix of its size, a power of two."""
    *shape, size = rows.shape
    half = 1
    while half < size:
        pairs = rows.reshape(*shape, size // (2 * half), 2, half)
        first, second = pairs[..., 0, :], pairs[..., 1, :]
        rows = np.stack([first + second, first - second], axis=-2).reshape(*shape, size)
        half *= 2
    return rows


def even_columns(rows: Counts, rng: Rng) -> Counts:
    """int64[…, b]: the number of users who draw each column, uniformly among those with a 1 in
    their row.

    rows : int64[…, b], the number of users of each row; row 0 has none.

    The bits of a column are drawn one by one, the highest first. After some bits a user is
    described by these, by the remaining bits of the row, and by whether the sum so far is odd:
    users with the same description are drawn together.
    """
    *shape, size = rows.shape
    odd = np.zeros_like(rows)
    walkers = np.stack([rows, odd], axis=-1)[..., None, :, :]  # [..., column, row, odd]
    left = size
    while left > 1:
        left //= 2
        halves = walkers.reshape(*shape, -1, 2, left, 2)  # [..., column, bit, rest of row, odd]
        ones = binomial(halves, 0.5, rng)
        # The last 1 of a row makes the sum even; that is where the rest of the row is 0.
        ones[..., 1, 0, 0], ones[..., 1, 0, 1] = 0, halves[..., 1, 0, 1]
        zeros = halves - ones
        same, other = ones[..., 0, :, :], ones[..., 1, :, ::-1]
        chosen = np.stack([zeros.sum(axis=-3), same + other], axis=-3)
        walkers = chosen.reshape(*shape, -1, left, 2)
    return walkers[..., 0, 0]


@dataclass(frozen=True)
class HadamardSpec(Budget, kind="hr", mechanism=HadamardResponse):
    """The `[protocol]` table of Hadamard response, before the domain is known."""


SPECS = (HadamardSpec,)
