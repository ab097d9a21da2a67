"""The lines of a gain as formulas: what is left of it under ever more checks of the fakes.

We derive them; `docs/bounds.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ldptui.core import theory
from ldptui.core.bounds.undetectable import least_gain, unlisted_gain
from ldptui.core.cell import Cell
from ldptui.core.law.hiding import hides
from ldptui.core.law.pure import sends_reports

from ..text.format import short
from .formula import FINE, Formula, listed, numeric
from .setting import Setting

DERIVED = "derived: docs/bounds.md"


def bound_keys() -> tuple[str, ...]:
    """The fields of the lines in the table of closed forms, but for MGA and verified input."""
    return ("bound.undetectable", "bound.least", "bound.drop_out", "bound.verified")


def listed_bounds(setting: Setting) -> Iterator[Formula]:
    """The lines without a population, as far as the numbers are given."""
    protocol: Any = setting.protocol
    r, share, held = setting.r, setting.share, setting.held
    if r is None or share is None or held is None or not sends_reports(protocol):
        return
    if not hides(protocol):
        epsilon = setting.protocol.epsilon
        yield listed(
            "bound.least", "least hidden gain", least_gain(epsilon, share, held),
            "β(e^ε/(e^ε − 1) − f_T)", "derived",
        )  # fmt: skip
    elif protocol.report_size is None:  # else it depends on what each item holds
        yield listed(
            "bound.undetectable", "undetectable gain",
            unlisted_gain(protocol.p, protocol.q, share, held), "β(p(1 − q)/(p − q) − f_T)",
            "derived",
        )  # fmt: skip
    supported = theory.accepted(protocol)
    if supported is not None:
        gained = r * theory.item_shift(protocol, theory.alike(supported, r), share, held / r)
        yield listed(
            "bound.drop_out", "drop-out gain", gained, f"G with S = {_accepted(protocol)}",
            "derived",
        )  # fmt: skip
    yield listed("bound.verified", "verified gain", share * (1 - held), "β(1 − f_T)", "derived")


def _accepted(protocol: Any) -> str:
    """S of a report that supports one target for certain, in words."""
    if not hides(protocol):
        own, other = theory.accepted(protocol) or (0.0, 0.0)
        return short(own) + f" + (r − 1) {short(other)}" * (other > 0)
    return {None: "1 + (r − 1)q", 1: "1"}.get(protocol.report_size, "1 + (r−1)(w−1)/(d−1)")


def bounds(cell: Cell, part: str) -> Iterator[Formula]:
    """The gains that are left where reports, randomisers and inputs are checked."""
    beta, held = short(cell.share), short(cell.target_frequency)
    lines = theory.gain_lines(
        cell.protocol, cell.population, cell.targets, cell.share, crafted=False
    )
    live = partial(numeric, part, source=DERIVED)
    if "undetectable" in lines:
        shift = short(lines["undetectable"] + cell.share * cell.target_frequency, FINE)
        yield live(
            "Gain that no defence can see", "δ_T − β f_T,  M δ ≥ 0,  δ ≥ −(1 − β) f",
            f"{shift} − {beta} · {held}", lines["undetectable"],
        )  # fmt: skip
    else:
        yield live(
            "Gain that no defence can see, at least", "β (e^ε / (e^ε − 1) − f_T)",
            "or all that other items hold", lines["least"],
        )  # fmt: skip
    yield live(
        "Gain with a verified randomiser", "β (1 − f_T)", f"{beta} · (1 − {held})",
        lines["verified"],
    )  # fmt: skip


def verified(cell: Cell) -> Iterator[Formula]:
    """The verified randomiser of the scenario: its coins, and what fakes gain in spite of it."""
    if cell.verifier is None or cell.rounds:
        return
    asked = cell.sifted
    live = partial(numeric, f"Defence: {cell.verifier.kind}", source=DERIVED)
    p, q, gap = asked.pure.p, asked.pure.q, asked.pure.p - asked.pure.q
    if cell.asked is not None:
        yield live("A report supports the own item, by a coin of the defence", "p′ = ⌊p L⌋ / L",
                   "as the coins have it", p)  # fmt: skip
        yield live("Privacy budget really spent", "ε′, the largest ratio of two laws of a report",
                   f"with p′ = {short(p)}, q′ = {short(q)}", asked.pure.epsilon)  # fmt: skip
    law = theory.fake_support(asked)
    if law is None:
        return
    share, r, held = theory.sent_share(asked), cell.targets.size, cell.target_frequency
    sent = asked.fakes[0].sent
    if sent < 1:
        m_, n_ = cell.malicious, cell.users
        yield live("Share of fakes among the reports that are sent",
                   "β′ = E[M / (n + M)],  M ~ Bin(m, p)",
                   f"n = {n_}, m = {m_}, p = {short(sent)}", share)  # fmt: skip
    s = float(law.rates[cell.targets].sum())
    yield live("Targets that one verified report supports, on average",
               "S = 1 + (r − 1) q′" if sent < 1 else "S = p + (r − 1) q",
               f"of the items that fakes choose, r = {r}", s)  # fmt: skip
    yield live(
        "Gain with the verified randomiser of the scenario", "G = β′ [ (S − r q) / (p − q) − f_T ]",
        f"{short(share)} · [ ({short(s, FINE)} − {r} · {short(q, FINE)}) / {short(gap)} − "
        f"{short(held)} ]",
        share * ((s - r * q) / gap - held),
    )  # fmt: skip
