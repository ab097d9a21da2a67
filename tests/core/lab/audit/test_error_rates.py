"""Error rates of audits: correct clients are refuted as seldom as promised, broken ones found."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget

import ldptui
from ldptui.api.files import sent
from ldptui.core.lab.audit import Asked, Claim, Inspection, Inspector, made, power_of
from ldptui.core.lab.loss import loss_of

D, AUDITS, SAMPLES = 6, 400, 8000
CONFIDENCE = 0.9
KEYS: dict[str, dict[str, Any]] = {"grr": {}, "oue": {}, "olh": {}, "ss": {}, "hst": {}}
"""Five protocols, of one engine each."""


def audited(kind: str, seed: int, spends: float, samples: int = SAMPLES) -> Inspection:
    """An audit of a client of a protocol that promises ε = 1 and spends another one."""
    protocol = ldptui.protocol(kind, D, epsilon=1.0, **KEYS[kind])
    own = ldptui.protocol(kind, D, epsilon=spends, **KEYS[kind])

    class Client:
        def perturb(self, values: Any, rng: Any) -> Any:
            return sent(own, values, rng)

    claim = Claim(D, 1.0, kind, protocol, partial(sent, protocol))
    asked = Asked(samples, CONFIDENCE, seed)
    steps = Inspector(made("client", Client, fresh=True), claim, asked).steps()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Inspection = end.value
            return found


def seldom(hits: int, of: int, chance: float) -> bool:
    """At most this chance of each, as far as so many can tell."""
    return bool(stats.binom.sf(hits - 1, of, chance) >= budget.FALSE_ALARM)


@pytest.mark.long
def test_two_thousand_audits_of_correct_clients() -> None:
    """The promised share is 10 %: three quarters of it for verdicts, a quarter for the law."""
    broken = strange = 0
    for kind in KEYS:
        for seed in range(AUDITS):
            found = audited(kind, seed, 1.0)
            broken += found.verdict == "broken"
            strange += found.conforms is False
    of = AUDITS * len(KEYS)
    print(f"{broken} broken and {strange} not conforming of {of}")
    assert seldom(broken, of, 0.75 * (1 - CONFIDENCE))
    assert seldom(strange, of, 0.25 * (1 - CONFIDENCE))
    assert not seldom(int(0.2 * of), of, 1 - CONFIDENCE)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["grr", "oue"])
def test_a_client_is_refuted_with_the_printed_power(kind: str) -> None:
    """One that spends the ε that the power names: in nine of ten audits, by the bound alone."""

    def make(epsilon: float) -> tuple[Any, Any]:
        protocol = ldptui.protocol(kind, D, epsilon=epsilon)
        return loss_of(protocol), protocol

    power = power_of(make, kind, D, 1.0, 2.0, SAMPLES, CONFIDENCE)
    assert power.refutes is not None
    hits = [audited(kind, seed, power.refutes).epsilon_low > 1 for seed in range(200)]
    print(f"{kind}: {np.mean(hits):.3f} at {power.refutes:.3f}")
    assert stats.binom.cdf(sum(hits), 200, 0.9) >= budget.FALSE_ALARM
