"""The undetectable gain against a linear programme, and its mixture against every report."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.undetectable import Hidden, hidden, least_gain
from ldptui.core.law.enumeration import ReportLaw
from ldptui.core.law.pure import Items, PureProtocol
from ldptui.core.protocols import KINDS, PROTOCOLS

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


def optimum(law: Floats, held: Floats, targets: Items, share: float) -> float:
    """The largest gain max Σ_T (f′ − f) with f′ ≥ 0 and M f′ ≥ (1 − β) M f, report by report."""
    aims = np.isin(np.arange(held.size), targets).astype(float)
    rows = law / law.max(axis=0)
    answer = linprog(
        -aims, A_ub=-rows.T, b_ub=-(1 - share) * held @ rows,
        A_eq=np.ones((1, held.size)), b_eq=[1.0], bounds=(0, 1),
    )  # fmt: skip
    return float(-answer.fun - held[targets].sum())


@pytest.mark.every(7)
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
        best = optimum(law, held, np.arange(targets), share)
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


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in PROTOCOLS] + list(PROTOCOLS)
)
def test_a_gain_can_be_hidden_whatever_the_protocol(kind: str) -> None:
    """The least of it: no more than the optimum over every report, of those that can be listed."""
    table = {"rappor": {"bits": 5, "hashes": 2, "cohorts": 2, "epsilon": 1.0}}.get(kind)
    sketch = {"buckets": 4, "rows": 3} if hasattr(KINDS[kind], "rows") else {}
    spec = KINDS[kind](kind=kind, **(table or {"epsilon": 1.0, **sketch}))
    protocol = spec.bind(5)
    law = getattr(protocol, "enumerate_reports", lambda: None)()
    if law is None or not hasattr(protocol, "perturb"):
        return
    held = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    for targets in (np.array([4]), np.array([4, 2])):
        least = least_gain(protocol.epsilon, 0.1, float(held[targets].sum()))
        assert least <= optimum(law.probabilities, held, targets, 0.1) + 1e-9
