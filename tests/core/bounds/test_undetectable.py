"""The undetectable gain against a linear programme, and its mixture against every report."""

from __future__ import annotations

import numpy as np
import pytest

from core.bounds.programme import hidden_gain
from core.bounds.undetectable import Hidden, hidden
from core.enumeration import ReportLaw
from core.errors import ScenarioError
from core.protocols import PROTOCOLS
from core.pure import PureProtocol
from core.sampling import Floats

SHARES = [0.01, 0.1, 0.4]


def of_size(kind: str, items: int, epsilon: float) -> tuple[PureProtocol, Floats, int | None]:
    """A protocol, its report law, and the number of items that every report supports, or None."""
    protocol = PROTOCOLS[kind](kind, epsilon).bind(items)
    law = protocol.enumerate_reports()  # type: ignore[attr-defined]
    assert isinstance(law, ReportLaw)
    sizes = {"direct": 1, "subset": getattr(protocol, "subset_size", None)}
    return protocol, law.probabilities, sizes.get(protocol.family)


FAMILIES = ("direct", "unary", "subset")
CASES = [
    (kind, items)
    for kind in PROTOCOLS
    for items in (4, 7)
    if PROTOCOLS[kind].mechanism.family in FAMILIES
]


def attack(protocol: PureProtocol, size: int | None, held: Floats, targets: int,
           share: float) -> Hidden:  # fmt: skip
    rate = protocol.q if size is None else size / held.size
    return hidden(held, np.arange(targets), share, protocol.p, rate, size)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("kind", "items"), CASES)
@pytest.mark.parametrize("epsilon", [0.4, 1.5])
def test_the_closed_form_is_the_optimum_of_the_linear_programme(
    kind: str, items: int, epsilon: float, share: float
) -> None:
    protocol, law, size = of_size(kind, items, epsilon)
    rng = np.random.default_rng(items)
    for targets in (1, 2, items - 1):
        held = rng.dirichlet(np.full(items, 0.7))
        best = hidden_gain(law, held, np.arange(targets), share)
        found = attack(protocol, size, held, targets, share)
        assert found.gain == pytest.approx(best, abs=1e-9)
        # A mutant with a larger budget must be told from the optimum, where there is room.
        assert found.gain <= 1 - held[:targets].sum() + 1e-12


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("kind", "items"), CASES)
def test_the_mixture_hides_among_honest_reports(kind: str, items: int, share: float) -> None:
    protocol, law, size = of_size(kind, items, 1.0)
    held = np.random.default_rng(items).dirichlet(np.full(items, 0.7))
    found = attack(protocol, size, held, 2, share)
    shown = (1 - share) * held + found.shift
    assert shown.min() >= -1e-15
    assert shown.sum() == pytest.approx(1)
    wanted = (shown @ law - (1 - share) * held @ law) / share
    assert wanted.min() >= -1e-12
    mixed = _mixture(found, law, protocol)
    np.testing.assert_allclose(mixed, wanted, atol=1e-12)
    assert mixed.sum() == pytest.approx(1)
    # Twice as many reports forced to the targets are no honest population's.
    doubled = Hidden(found.shift, found.gain, found.background, 2 * found.forced, found.spared)
    assert np.abs(_mixture(doubled, law, protocol) - wanted).max() > 1e-3


def _mixture(found: Hidden, law: Floats, protocol: PureProtocol) -> Floats:
    """float64[reports]: the law of the mixture, from the background's law conditioned."""
    supported = law > law.mean(axis=0) * (1 + 1e-12)
    # Reports that support no item, or all of them, are as likely for each of them.
    supported |= np.isclose(law, law.max() if protocol.family == "unary" else -1).all(axis=0)
    least = law.min(axis=0)
    if protocol.family == "unary":
        bits = (np.arange(law.shape[1])[:, None] >> np.arange(law.shape[0])[::-1] & 1).astype(bool)
        supported = bits.T
        least = np.prod(np.where(bits, protocol.q, 1 - protocol.q), axis=1)
    background = least / least.sum()
    mixed: Floats = found.background * background
    for item, holds in enumerate(supported):
        for weight, chosen in ((found.forced[item], holds), (found.spared[item], ~holds)):
            if weight:
                part = background * chosen
                mixed = mixed + weight * part / part.sum()
    return mixed


def test_the_gain_is_the_bound_where_others_hold_enough() -> None:
    items, share = 100, 0.05
    held = np.full(items, 1 / items)
    for kind in PROTOCOLS:
        if PROTOCOLS[kind].mechanism.family not in ("unary", "hashing"):
            continue
        protocol = PROTOCOLS[kind](kind, 1.0).bind(items)
        for targets in (1, 10):
            bound = share * (np.e / (np.e - 1) - targets / items)
            found = hidden(held, np.arange(targets), share, protocol.p, protocol.q, None)
            assert found.gain == pytest.approx(bound)


def test_a_law_too_large_for_the_programme_is_refused() -> None:
    with pytest.raises(ScenarioError, match="at most 4000000 entries"):
        hidden_gain(np.random.default_rng(0).random((2001, 2000)), np.full(2001, 1 / 2001),
                    np.array([0]), 0.1)  # fmt: skip
