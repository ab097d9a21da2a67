"""The undetectable gain: the largest of fakes whose reports look like an honest population's.

Fakes with the report distribution z hide perfectly in one round if (1−β)Mf + βz = Mf′ for
frequencies f′: all reports together are then those of honest users of f′. With δ = f′ − (1−β)f that
is z = Mδ/β, and the only condition is that no probability of z is negative. We derive the best δ in
closed form where M(y|v) is e^ε times as large for the items v that report y supports as for others:

* every subset of items is the support of some report (unary encodings, hashing with an ideal
  family): the other items may lose β/(e^ε−1) in all;
* every subset of w items is (subset selection; GRR is w = 1): the w items that lose most may lose
  β/(e^ε−1) together.

For every ε-LDP protocol the other items may lose β/(e^ε−1) in all, in any way.

`docs/theory.md` has the proofs, and the sampler of z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.exchangeable import Exchangeable
from ..law.pure import Items


@dataclass(frozen=True, eq=False)
class Hidden:
    """The attack with the largest undetectable gain, as a mixture of distributions of one report.

    shift : float64[d], δ = f′ − (1−β)f, with Σδ = β.
    gain : Σ_T (f′ − f), the change of the targets' estimates.
    background : the probability of a report that depends on no item.
    forced, spared : float64[d], the probability of a background report conditioned on supporting an
        item, or on not supporting it.
    """

    shift: Floats
    gain: float
    background: float
    forced: Floats
    spared: Floats


def hidden(
    frequencies: Floats, targets: Items, share: float, p: float, rate: float, size: int | None
) -> Hidden:
    """The attack with the largest undetectable gain on these targets, by a share β > 0 of fakes.

    p : the probability that a report supports its user's item. rate : the probability that the
    background supports an item: w/d, or q. size : the number w of items that every report supports;
    None for any number. frequencies : float64[d]. targets : int64[r].
    """
    most = share * rate * (1 - p) / (p - rate)
    shift = _shift(frequencies, targets, share, most, size)
    gain = float(shift[targets].sum() - share * frequencies[targets].sum())
    level = 0.0 if size is None else -float(np.partition(shift, size - 1)[size - 1])
    above = shift + level
    # M(y|v) = B(y) + (p-π)(B(y|v∈y) - B(y|v∉y)): B is the law of the background, π the rate. Each
    # difference is (B(y|v∈y) - B)/(1-π) = (B - B(y|v∉y))/π; of fixed sizes they add up to 0.
    forced = (p - rate) / (1 - rate) / share * np.maximum(above, 0)
    spared = (p - rate) / rate / share * np.maximum(-above, 0)
    return Hidden(shift, gain, max(0.0, 1 - forced.sum() - spared.sum()), forced, spared)


def hidden_against(
    protocol: Exchangeable, frequencies: Floats, targets: Items, share: float
) -> Hidden:
    """The attack with the largest undetectable gain against a protocol that treats all
    items alike.
    """
    size = protocol.report_size
    rate = protocol.q if size is None else size / protocol.domain_size
    return hidden(frequencies, targets, share, protocol.p, rate, size)


def unlisted_gain(p: float, q: float, share: float, held: float) -> float:
    """The largest undetectable gain if every subset of items is the support of some report.

    β + min(β q(1 − p)/(p − q), (1 − β)(1 − f_T)) − β f_T, for any distribution of the items. held :
    f_T.
    """
    return _with_loss(share * q * (1 - p) / (p - q), share, held)


def least_gain(epsilon: float, share: float, held: float) -> float:
    """A gain that is undetectable under any ε-LDP protocol.

    β + min(β/(e^ε − 1), (1 − β)(1 − f_T)) − β f_T: a report is at most e^ε times as likely for one
    item as for another. held : f_T.
    """
    return _with_loss(share / math.expm1(epsilon), share, held)


def _with_loss(most: float, share: float, held: float) -> float:
    """The gain of targets that hold this part, where other items lose `most`, or all they have."""
    return share + min(most, (1 - share) * (1 - held)) - share * held


def hidden_gain_against(
    protocol: Exchangeable,
    distinct: tuple[Counts, Counts],
    aims: Counts,
    share: float,
) -> float:
    """The largest undetectable gain, computed from the distinct frequencies instead of each item.

    distinct : the numbers of users that items have, ascending, and the number of items with each.
    aims : int64[r], the users of each target.
    """
    values, counts = distinct
    users = int(values @ counts)
    held = float(aims.sum() / users)
    of_targets = np.bincount(np.searchsorted(values, aims), minlength=counts.size)
    others, frequencies = (counts - of_targets)[::-1], (1 - share) * values[::-1] / users
    size, p = protocol.report_size, protocol.p
    if size is None:
        return unlisted_gain(p, protocol.q, share, held)
    items = int(counts.sum())
    rate = size / items
    most = share * rate * (1 - p) / (p - rate)
    if size > items - aims.size:
        lost = _roomy(most, share, size, items - aims.size, aims.size)
    else:
        # Of the items that lose most, `size` are looked at: these of each distinct frequency.
        largest = np.clip(size - (np.cumsum(others) - others), 0, others)
        level = _level(frequencies, largest, most)
        lost = float(others @ np.minimum(frequencies, level))
    return _with_loss(lost, share, held)


def _shift(
    frequencies: Floats, targets: Items, share: float, most: float, size: int | None
) -> Floats:
    """δ: the other items lose what is allowed, and the targets gain it and β, all alike."""
    held = (1 - share) * frequencies
    held[targets] = 0
    others = frequencies.size - targets.size
    if size is None or size > others:
        if size is not None:
            most = _roomy(most, share, size, others, targets.size)
        total = float(held.sum())
        lost = held * min(1.0, most / total) if total > 0 else held
    else:
        largest = np.sort(held)[::-1][:size]
        lost = np.minimum(held, _level(largest, np.ones(size, dtype=np.int64), most))
    shift = -lost
    shift[targets] = (share + float(lost.sum())) / targets.size
    return shift


def _roomy(most: float, share: float, size: int, others: int, targets: int) -> float:
    """The most that fewer others than `size` may lose: targets are among those that gain least."""
    part = (size - others) / targets
    return (most + part * share) / (1 - part)


def _level(values: Floats, counts: Counts, most: float) -> float:
    """The largest t with which Σ counts · min(value, t) is at most `most`; values fall."""
    if values @ counts <= most:
        return math.inf
    # With t between a value and the next one: t times the number so far + Σ of the smaller = most.
    tails = values @ counts - np.cumsum(values * counts)
    levels = (most - tails) / np.maximum(np.cumsum(counts), 1)
    following = np.append(values[1:], 0.0)
    return float(levels[np.argmax((levels >= following) & (np.cumsum(counts) > 0))])
