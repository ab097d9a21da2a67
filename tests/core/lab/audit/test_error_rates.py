"""Error rates of audits: correct clients are refuted as seldom as promised, broken ones found."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget
from support.audits import ended

import ldptui
from ldptui.api.files import sent
from ldptui.core.lab.audit import Asked, Claim, Inspection, Inspector, Setting, made, power_of
from ldptui.core.lab.loss import loss_of
from ldptui.core.law.capabilities import speaks
from ldptui.core.protocols import CENTRAL
from ldptui.core.protocols import KINDS as EVERY

D, AUDITS, SAMPLES = 6, 2000, 8000
CONFIDENCE = 0.9
REFUTES = {
    "grr": 1.198, "oue": 1.330, "olh": 1.320, "ss": 1.271, "hst": 1.330,
    "sue": 1.309, "the": 1.527, "hr": 1.262, "she": 1.415, "dbitflip": 1.838,
}  # fmt: skip
"""The ε that the power names."""
KINDS = tuple(REFUTES)[:5]
"""Protocols whose correct clients are audited, of one engine each."""
PLACED = tuple(
    kind for kind in EVERY if kind not in CENTRAL and speaks(ldptui.protocol(kind, D, epsilon=1.0))
)
"""Protocols that are not pure, of whose reports it is compared how much they speak for items."""


def audited(kind: str, seed: int, spends: float, samples: int = SAMPLES) -> Inspection:
    """An audit of a client of a protocol that promises ε = 1 and spends another one."""
    protocol = ldptui.protocol(kind, D, epsilon=1.0)
    own: Any = protocol
    if spends != 1.0:
        own = replace(protocol, epsilon=spends)  # type: ignore[type-var]

    class Client:
        def perturb(self, values: Any, rng: Any) -> Any:
            return sent(own, values, rng)

    claim = Claim(D, 1.0, kind, protocol, partial(sent, protocol))
    asked = Asked(samples, CONFIDENCE, seed)
    return ended(Inspector(made("client", Client, fresh=True), claim, asked))


def seldom(hits: int, of: int, chance: float) -> bool:
    """At most this chance of each, as far as so many can tell."""
    return bool(stats.binom.sf(hits - 1, of, chance) >= budget.FALSE_ALARM)


@pytest.mark.long
@pytest.mark.parametrize("kinds", [KINDS, PLACED])
def test_two_thousand_audits_of_correct_clients(kinds: tuple[str, ...]) -> None:
    """The promised share is 10 %: three quarters of it for verdicts, a quarter for the law."""
    broken = strange = 0
    for kind in kinds:
        for seed in range(AUDITS // len(kinds)):
            found = audited(kind, seed, 1.0)
            broken += found.verdict == "broken"
            strange += found.conforms is False
    of = AUDITS // len(kinds) * len(kinds)
    print(f"{broken} broken and {strange} not conforming of {of}")
    assert seldom(broken, of, 0.75 * (1 - CONFIDENCE))
    assert seldom(strange, of, 0.25 * (1 - CONFIDENCE))
    assert not seldom(int(0.2 * of), of, 1 - CONFIDENCE)


@pytest.mark.long
@pytest.mark.parametrize("kind", REFUTES)
def test_a_client_is_refuted_with_the_printed_power(kind: str) -> None:
    """One that spends the ε that the power names: in nine of ten audits, by the bound alone."""
    promised: Any = ldptui.protocol(kind, D, epsilon=1.0)

    def make(epsilon: float) -> tuple[Any, Any]:
        protocol = replace(promised, epsilon=epsilon)
        return loss_of(protocol), protocol

    power = power_of(make, kind, Setting(D, 1.0, SAMPLES, CONFIDENCE), 2.0)
    assert power.refutes == pytest.approx(REFUTES[kind], abs=1e-3)
    hits = [audited(kind, seed, power.refutes).epsilon_low > 1 for seed in range(100)]
    print(f"{kind}: {np.mean(hits):.3f} at {power.refutes:.3f}")
    assert stats.binom.cdf(sum(hits), len(hits), 0.9) >= budget.FALSE_ALARM
    assert stats.binom.cdf(len(hits) // 2, len(hits), 0.9) < budget.FALSE_ALARM
