"""The lines of a gain as formulas: what is left of it under ever more checks of the fakes.

We derive them; `docs/theory.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ldptui.core import theory
from ldptui.core.bounds.undetectable import least_gain, unlisted_gain
from ldptui.core.cell import Cell
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.mechanism import LocalMechanism

from ..text.format import short
from .formula import Formula, listed
from .formula_inputs import Setting

_row = partial(Formula, source="derived")

UNDETECTABLE: Final = _row(
    "Gain that no defence can see", "{δ_T:8} − β f_T,  M δ ≥ 0,  δ ≥ −(1 − β) f"
)
LEAST: Final = _row(
    "Gain that no defence can see, at least", "β (e^ε / (e^ε − 1) − f_T)",
    put="or all that other items hold",
)  # fmt: skip
VERIFIED: Final = _row("Gain with a verified randomiser", "β (1 − f_T)")

COINS: Final = (
    _row("A report supports the own item, by a coin of the defence", "p′ = ⌊p L⌋ / L",
         put="as the coins have it"),
    _row("Privacy budget really spent", "ε′, the largest ratio of two laws of a report",
         put="with p′ = {p′}, q′ = {q′}"),
)  # fmt: skip
"""The coins of a verified randomiser."""

SIFTED: Final = (
    _row("Share of fakes among the reports that are sent",
         "β′ = E[M / (n + M)],  M ~ Bin(m, p)", put="n = {n}, m = {m}, p = {sent}"),
    _row("Targets that one verified report supports, on average", "S = p + (r − 1) q",
         put="of the items that fakes choose, r = {r}"),
    _row("Gain with the verified randomiser of the scenario",
         "G = β′ [ ({S:8} − r {q:8}) / {(p − q)} − f_T ]"),
)  # fmt: skip
"""What fakes gain in spite of it."""


def listed_bounds(setting: Setting) -> Iterator[Formula]:
    """The lines without a population, as far as the numbers are given."""
    protocol: Any = setting.protocol
    r, share, held = setting.r, setting.share, setting.held
    if r is None or share is None or held is None or not isinstance(protocol, LocalMechanism):
        return
    known = {"bound.verified": share * (1 - held)}
    if not isinstance(protocol, Exchangeable):
        known["bound.least"] = least_gain(setting.protocol.epsilon, share, held)
    elif protocol.report_size is None:  # else it depends on what each item holds
        known["bound.undetectable"] = unlisted_gain(protocol.p, protocol.q, share, held)
    supported = theory.accepted(protocol)
    if supported is not None:
        shift = theory.item_shift(setting.protocol, theory.alike(supported, r), share, held / r)
        known["bound.drop_out"] = r * shift
    rows = (
        listed("bound.least", "least hidden gain", "β(e^ε/(e^ε − 1) − f_T)", "derived"),
        listed("bound.undetectable", "undetectable gain", "β(p(1 − q)/(p − q) − f_T)", "derived"),
        listed("bound.drop_out", "drop-out gain", f"G with S = {_accepted(protocol)}", "derived"),
        listed("bound.verified", "verified gain", "β(1 − f_T)", "derived"),
    )
    yield from (row.at(known) for row in rows if row.key in known)


def _accepted(protocol: Any) -> str:
    """S of a report that supports one target for certain, in words."""
    if not isinstance(protocol, Exchangeable):
        own, other = theory.accepted(protocol) or (0.0, 0.0)
        return short(own) + f" + (r − 1) {short(other)}" * (other > 0)
    return {None: "1 + (r − 1)q", 1: "1"}.get(protocol.report_size, "1 + (r−1)(w−1)/(d−1)")


def bounds(cell: Cell, part: str) -> Iterator[Formula]:
    """The gains that are left where reports, randomisers and inputs are checked."""
    protocol: Any = cell.protocol
    beta, held = cell.share, cell.target_frequency
    lines = theory.gain_lines(protocol, cell.population, cell.targets, beta, crafted=False)
    known = {"β": beta, "f_T": held}
    if "undetectable" in lines:
        gained = lines["undetectable"]
        known |= {"δ_T": gained + beta * held, "δ_T − β f_T": gained}
        yield UNDETECTABLE.at(known, part)
    else:
        known |= {LEAST.text: lines["least"]}
        yield LEAST.at(known, part)
    yield VERIFIED.at(known, part)


def verified(cell: Cell) -> Iterator[Formula]:
    """The verified randomiser of the scenario: its coins, and what fakes gain in spite of it."""
    if cell.verifier is None or cell.rounds:
        return
    asked, part = cell.sifted, f"Defence: {cell.verifier.kind}"
    p, q = asked.pure.p, asked.pure.q
    known = {"p": p, "q": q, "p′": p, "q′": q, "ε′": asked.pure.epsilon}
    if cell.asked is not None:
        yield from (row.at(known, part) for row in COINS)
    law = theory.fake_support(asked)
    if law is None:
        return
    sent = asked.fakes[0].sent
    known |= {
        "n": cell.users, "m": cell.malicious, "r": cell.targets.size,
        "β′": theory.sent_share(asked), "S": float(law.rates[cell.targets].sum()),
        "f_T": cell.target_frequency,
    }  # fmt: skip
    share, support, gain = SIFTED
    if sent < 1:
        yield share.at({**known, "sent": sent}, part)
        support = replace(support, text="S = 1 + (r − 1) q′")
    yield support.at(known, part)
    yield gain.at(known, part)
