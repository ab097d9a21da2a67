"""Other readings of reports that do not follow their protocol: what they do follow.

A client that is correct but for the order of its bits, or that follows another protocol or another
ε, is told so. Nothing is claimed with an error here: the words are a help for whoever mends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np

from ...base.errors import LdpError
from ...law.pure import Items, Reports, Rng, is_pure
from .conformity import agreement
from .evidence import WATCHED, Claim, Evidence, Supported, joint_of
from .lens import BLOCK, Lens

FITS: Final = 1e-3
"""The p-value from which reports fit a reading."""
STEPS: Final = 60
"""Steps of a bisection."""


def reading(
    seen: Evidence, others: Iterable[Claim], rebound: Callable[[float], Claim], rng: Rng
) -> str:
    """The reading that reports fit, in words; "" where none was found.

    others : other protocols at the same ε. rebound : the same protocol at another ε.
    """
    items = np.concatenate([held for held, _ in seen.raw])
    reports = np.concatenate([made for _, made in seen.raw])
    for claim, words in _protocols(seen, others, rebound):
        if fits(items, reports, claim, rng) >= FITS:
            return words
    for read, words in _orders(reports, seen.claim.domain_size):
        if fits(items, read, seen.claim, rng) >= FITS:
            return words
    return ""


def fits(items: Items, reports: Reports, claim: Claim, rng: Rng) -> float:
    """The p-value of the agreement of reports with a protocol; 0 where it does not send them."""
    if claim.protocol is None or claim.sent is None:
        return 0.0
    honest = claim.sent(items[:BLOCK], rng)
    if (honest.dtype, honest.shape[1:]) != (reports.dtype, reports.shape[1:]):
        return 0.0
    try:
        claim.protocol.received(reports, len(items))
    except ValueError:
        return 0.0
    d = claim.domain_size
    watched = np.unique(np.linspace(0, d - 1, min(d, WATCHED)).round().astype(np.int64))
    lens = Lens.fitted([honest], claim.look(watched), len(honest) // 8, WATCHED)
    said = claim.says(honest)
    joint = None
    if said is not None:
        joint = Lens.fitted([joint_of(items[:BLOCK], said > 0)], None, 0)
    evidence = Evidence(claim, watched, lens, joint)
    evidence.add(items, np.full_like(items, -1), reports, rng)
    return agreement(evidence).p_value


def _protocols(
    seen: Evidence, others: Iterable[Claim], rebound: Callable[[float], Claim]
) -> Iterator[tuple[Claim, str]]:
    for claim in others:
        yield (
            claim,
            (
                f"its reports are those of {claim.kind} at ε = {claim.epsilon:g}: a correct "
                "client, but of another protocol"
            ),
        )
    spent = _spent(seen.supported, seen.claim, rebound)
    if spent is not None:
        yield spent, f"its reports are those of {spent.kind} at ε = {spent.epsilon:.3g}"


def _spent(seen: Supported, claim: Claim, rebound: Callable[[float], Claim]) -> Claim | None:
    """The protocol at the ε whose p and q are as far apart as those seen; None where there is none.

    Apart is ln of the ratio of the odds of p and q, which grows with ε.
    """
    if not seen.reports or not is_pure(claim.protocol):
        return None
    p = seen.own.sum() / seen.reports
    q = seen.others / (seen.reports * (len(seen.held) - 1))
    if not 0 < q < p < 1:
        return None
    wanted = np.log(p / (1 - p)) - np.log(q / (1 - q))
    low, high = 1e-3, 20.0
    made: Claim | None = None
    try:
        for _ in range(STEPS):
            middle = (low + high) / 2
            made = rebound(middle)
            protocol: Any = made.protocol
            with np.errstate(divide="ignore"):  # at a large budget p is 1, or q is 0
                apart = np.log(protocol.p / (1 - protocol.p)) - np.log(
                    protocol.q / (1 - protocol.q)
                )
            low, high = (low, middle) if apart > wanted else (middle, high)
    except LdpError:
        return None
    return made


def _orders(reports: Reports, d: int) -> Iterator[tuple[Reports, str]]:
    """The same reports, read in another order."""
    if "bits" in (reports.dtype.names or ()):
        for order, words in (
            (np.s_[:, :, ::-1], "the lowest bit of a byte comes first"),
            (np.s_[:, ::-1, ::-1], "the last bit comes first"),
        ):
            turned, packed = reports.copy(), reports["bits"]
            bits = np.unpackbits(packed, axis=1).reshape(*packed.shape, 8)[order]
            turned["bits"] = np.packbits(bits.reshape(len(packed), -1), axis=1)
            yield turned, f"its bits are in another order: {words}"
    elif reports.dtype == np.uint8 and reports.ndim == 2:
        bits = np.unpackbits(reports, axis=1, count=d)
        yield (
            np.packbits(np.unpackbits(reports, axis=1, bitorder="little"), axis=1),
            "its bits are in another order: the lowest bit of a byte stands for its first item",
        )
        yield (
            np.packbits(bits[:, ::-1], axis=1),
            "its bits are in another order: the last item first",
        )
        yield np.packbits(1 - bits, axis=1), "its bits are swapped: 0 where the protocol has 1"
        for step, first in ((-1, 1), (1, -1)):
            yield np.packbits(np.roll(bits, step, axis=1), axis=1), f"it numbers items from {first}"
    elif reports.dtype.names is None and reports.ndim == 1 and reports.dtype.kind in "iu":
        for step, first in ((-1, 1), (1, -1)):
            shifted = (reports.astype(np.int64) + step) % d
            yield shifted.astype(reports.dtype), f"it numbers items from {first}"
    elif reports.dtype.names is not None and "seed" in reports.dtype.names:
        turned = reports.copy()
        turned["seed"] = reports["seed"].byteswap()
        yield turned, "the bytes of its seeds are in another order"
