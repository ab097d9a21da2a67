"""Clients whose reports have an item at another's place follow no protocol, and it is said."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import md5
from typing import Any

import numpy as np
import pytest
from support import budget
from support.audits import ended

import ldptui
from ldptui.api.files import sent
from ldptui.core.lab.audit import Asked, Claim, Inspection, Inspector, made, reading
from ldptui.core.lab.audit.conformity import farthest
from ldptui.core.protocols import CENTRAL, KINDS, Rappor

D, SAMPLES = 16, 20_000
MORE: dict[str, dict[str, Any]] = {"cms": {"buckets": 64}, "hcms": {"buckets": 64}}
"""Keys besides ε, for speed."""
LOCAL = tuple(kind for kind in KINDS if kind not in CENTRAL)


def claim_of(kind: str, epsilon: float = 1.0) -> Claim:
    protocol = ldptui.protocol(kind, D, epsilon=epsilon, **MORE.get(kind, {}))
    return Claim(D, epsilon, kind, protocol, partial(sent, protocol))  # type: ignore[arg-type]


def audited(client: Any, claim: Claim, samples: int = SAMPLES, seed: int = 0) -> Inspection:
    return ended(Inspector(made("client", lambda: client, False), claim, Asked(samples, seed=seed)))


@dataclass(frozen=True)
class Filters:
    """A RAPPOR client as somebody else writes it: right with these values.

    cohort : how a cohort is packed before it is hashed. step : the order of a digest's bytes.
    order : that of bits in a byte. without : an item whose filter stays empty.
    """

    protocol: Rappor
    cohort: str = ">I"
    step: int = 1
    order: Any = "big"
    without: int = -1

    def perturb(self, values: Any, rng: Any) -> Any:
        own = self.protocol
        reports = np.zeros(values.size, dtype=own.unperturbed(values[:0], rng).dtype)
        reports["cohort"] = rng.integers(own.cohorts, size=values.size)
        filters = np.zeros((values.size, own.bits), dtype=bool)
        for row, (item, cohort) in enumerate(
            zip(values.tolist(), reports["cohort"].tolist(), strict=True)
        ):
            digest = md5(struct.pack(self.cohort, cohort) + str(item).encode()).digest()
            places = [byte % own.bits for byte in digest[:: self.step][: own.hashes]]
            filters[row, places] = item != self.without
        chances = np.where(filters, own.noise.q_star, own.noise.p_star)
        sent_bits = rng.random(filters.shape) < chances
        reports["bits"] = np.packbits(sent_bits, axis=1, bitorder=self.order)
        return reports


WRONG: dict[str, dict[str, Any]] = {
    "the order of bits": {"order": "little"},
    "the order of a cohort's bytes": {"cohort": "<I"},
    "the order of a digest's bytes": {"step": -1},
    "a filter that stays empty": {"without": 5},
}


def test_a_rappor_client_written_anew_conforms() -> None:
    claim = claim_of("rappor")
    assert audited(Filters(claim.protocol), claim).conforms  # type: ignore[arg-type]


@pytest.mark.every(3)
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_rappor_client_does_not_conform(fault: str) -> None:
    """20,000 reports show it, and the words say where."""
    claim = claim_of("rappor")
    found = audited(Filters(claim.protocol, **WRONG[fault]), claim)  # type: ignore[arg-type]
    assert found.verdict == "not-refuted"
    assert found.conforms is False
    assert found.agrees is not None
    empty = fault == "a filter that stays empty"
    place = "what reports of item 5 say of it" if empty else "what a report says of its own item"
    assert found.agrees.worst == place
    words = reading(found.seen, [], partial(claim_of, "rappor"), np.random.default_rng(0))  # type: ignore[arg-type]
    assert ("its bits are in another order" in words) == (fault == "the order of bits")


def test_the_farthest_row() -> None:
    """The mean of one row in a hundred differs: its number, and a p-value for all rows."""
    rng = np.random.default_rng(1)
    first, second = rng.multinomial(500, [0.3, 0.4, 0.3], (2, 100)).astype(float)
    assert farthest(first, second)[0] >= budget.FALSE_ALARM
    first[42] = 50, 200, 250
    p_value, row = farthest(first, second)
    assert (p_value < budget.FALSE_ALARM, row) == (True, 42)
    assert farthest(first, first) == (1.0, 0)
    # Of few reports, and of rare levels, nothing is said.
    assert farthest(np.array([[9.0, 0.0]]), np.array([[0.0, 9.0]]))[0] == 1.0
    assert farthest(np.array([[900.0, 0.0]]), np.array([[890.0, 9.0]]))[0] == 1.0


@dataclass(frozen=True)
class Displaced:
    """An honest client of a protocol, but that it takes some items for others."""

    claim: Claim
    place: Callable[[Any], Any]

    def perturb(self, values: Any, rng: Any) -> Any:
        return sent(self.claim.protocol, self.place(values), rng)  # type: ignore[arg-type]


PLACES: dict[str, Callable[[Any], Any]] = {
    "none": lambda values: values,
    "all": lambda values: (values + 5) % D,
    "one": lambda values: np.where(values == 3, 12, values),
}


@pytest.mark.long
@pytest.mark.parametrize("which", PLACES)
@pytest.mark.parametrize("kind", LOCAL)
def test_items_at_other_places_are_found(kind: str, which: str) -> None:
    """Of every protocol: all items, with 20,000 reports, and one of 16, with 60,000."""
    claim = claim_of(kind)
    found = audited(
        Displaced(claim, PLACES[which]), claim, 3 * SAMPLES if which == "one" else SAMPLES
    )
    assert found.conforms is (which == "none"), found.agrees


@dataclass(frozen=True)
class Turned:
    """An honest client that writes a part of its reports in another order."""

    claim: Claim

    def perturb(self, values: Any, rng: Any) -> Any:
        reports = sent(self.claim.protocol, values, rng).copy()  # type: ignore[arg-type]
        names = reports.dtype.names or ()
        if "seed" in names:
            reports["seed"] = reports["seed"].byteswap()
        elif names:  # the next row, or cohort
            groups = int(reports[names[0]].max()) + 1
            reports[names[0]] = (reports[names[0]] + 1) % groups
        elif reports.dtype == np.uint8 and reports.ndim > 1:
            return np.packbits(np.unpackbits(reports, axis=-1), axis=-1, bitorder="little")
        else:
            return reports[..., ::-1] if reports.ndim > 1 else reports.max() - reports
        return reports


@pytest.mark.long
@pytest.mark.parametrize("kind", LOCAL)
def test_reports_in_another_order_are_found(kind: str) -> None:
    claim = claim_of(kind)
    assert audited(Turned(claim), claim).conforms is False
