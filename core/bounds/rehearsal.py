"""Simulations of planned and designed collections, to check their closed forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Floats
from ..law.law import Ask
from ..law.mechanism import LocalMechanism
from ..law.pure import PureProtocol, Rng
from .planner import Oracle, Plan, attack_floor, found_power, noise_threshold, without_fakes

AT_ONCE: Final = 1 << 17
"""Counts drawn in one call: an interrupt is obeyed between two calls."""


def rehearse_plan(
    mechanism: Any,
    oracle: Oracle,
    plan: Plan,
    trials: int,
    rng: Rng,
    targets: int = 1,
    *,
    proved: bool = False,
    alarms_planned: float | None = None,
) -> dict[str, float | int]:
    """The measured errors of a simulated plan, beside the numbers of its closed forms.

    Item 0 has the plan's frequency and item 1 all other users; the remaining items have none, and
    the fakes promote the last `targets` of them. Returns, by name, each with its standard error and
    its closed form: power, the share of trials that detect item 0; item and target, the mean
    estimates of item 0 and of a target; alarms, the share of trials without an attack in which an
    item without users passes the noise threshold. The closed form of alarms takes these items, two
    fewer than all, as independent, which makes it slightly less than α.

    mechanism : a pure protocol, a curator or an aggregation. oracle : its error model. proved :
    whether fakes have to run the protocol, each for one of the targets. alarms_planned : for all
    items, if their noise is not the oracle's. Raises ScenarioError if there are too few items.
    """
    if plan.items < targets + 2:
        rule = f"needs at least {targets + 2} items to check: one found, one of others, the lifted"
        raise ScenarioError(f"{rule}, {got(plan.items)}", key="items")
    users = round(plan.users)
    fakes = round(plan.users * plan.share / (1 - plan.share))
    held = np.zeros(plan.items, dtype=np.int64)
    held[0] = round(users * plan.frequency)
    held[1] = users - held[0]
    aims = np.arange(plan.items - targets, plan.items)
    share = fakes / (users + fakes)  # as whole users have them
    exact = replace(plan, users=users, share=share, frequency=float(held[0]) / users)
    threshold = attack_floor(oracle, exact) + noise_threshold(oracle, exact)
    clean = noise_threshold(oracle, without_fakes(plan))
    shown, lifted, alarms = [], [], 0
    step = max(1, AT_ONCE // plan.items)
    for at in range(0, trials, step):
        rows = min(step, trials - at)
        counts = mechanism.sample_counts(np.tile(held, (rows, 1)), rng)
        if not isinstance(mechanism, LocalMechanism):
            counts = counts + mechanism.noise_counts(rows, rng)
        empty = mechanism.estimates(counts, users).frequencies[:, 2:]
        alarms += int((empty.max(axis=1) > clean).sum())
        if proved:
            liars = np.zeros((rows, plan.items), dtype=np.int64)
            liars[:, aims] = rng.multinomial(fakes, np.full(targets, 1 / targets), size=rows)
            fake = mechanism.sample_counts(liars, rng)
        else:
            fake = mechanism.find_law(Ask("crafted", aims)).counts(np.full(rows, fakes), rng)
        estimates = mechanism.estimates(counts + fake, users + fakes).frequencies
        shown.append(estimates[:, 0])
        lifted.append(estimates[:, -1])
    item, raised = np.concatenate(shown), np.concatenate(lifted)
    power = float((item > threshold).mean())
    one = oracle.exceeds(-oracle.quantile(plan.alpha / plan.items))
    if alarms_planned is not None:
        one = -math.expm1(math.log1p(-alarms_planned) / plan.items)
    return {
        "trials": trials,
        "power": power,
        "power_standard_error": math.sqrt(power * (1 - power) / trials),
        "power_planned": found_power(oracle, exact, lowered=True),
        **_mean("item", item, (1 - share) * held[0] / users - share * oracle.lowered),
        **_mean("target", raised, attack_floor(oracle, exact)),
        "alarms": alarms / trials,
        "alarms_standard_error": math.sqrt(alarms / trials * (1 - alarms / trials) / trials),
        "alarms_planned": -math.expm1((plan.items - 2) * math.log1p(-one)),
    }


def rehearse_design(
    protocol: PureProtocol,
    users: int,
    share: float,
    targets: int,
    planned: Mapping[str, float],
    trials: int,
    rng: Rng,
) -> dict[str, float | int]:
    """The measured errors of a protocol beside its planned ones, simulated on the counts path.

    noise : the RMSE of a target without an attack. gain : Σ over the targets, each trial with and
    without the fakes. worst : the RMSE of one target that all fakes promote. Measured, with their
    standard errors and with the closed forms of `planned`.
    """
    fakes = round(users * share / (1 - share))
    held = np.zeros(protocol.domain_size, dtype=np.int64)
    held[0] = users
    aims = np.arange(held.size - targets, held.size)
    noise, gain, worst = [], [], []
    step = max(1, AT_ONCE // held.size)
    for at in range(0, trials, step):
        rows = min(step, trials - at)
        counts = protocol.sample_counts(np.tile(held, (rows, 1)), rng)
        clean = protocol.estimates(counts, users).frequencies[:, aims]
        noise.append((clean**2).mean(axis=1))
        lifted = []
        for some in (aims, aims[-1:]):
            fake = protocol.find_law(Ask("crafted", some)).counts(np.full(rows, fakes), rng)
            lifted.append(protocol.estimates(counts + fake, users + fakes).frequencies)
        gain.append((lifted[0][:, aims] - clean).sum(axis=1))
        worst.append(lifted[1][:, -1] ** 2)
    return {
        "trials": trials,
        **_root("noise", np.concatenate(noise), planned["noise"]),
        **_mean("gain", np.concatenate(gain), planned["gain"]),
        **_root("worst", np.concatenate(worst), planned["worst"]),
    }


def _root(name: str, squares: Floats, planned: float) -> dict[str, float]:
    """The root of a mean square, with its standard error to first order."""
    square = _mean(name, squares, planned)
    root = math.sqrt(square[name])
    error = square[f"{name}_standard_error"] / (2 * root) if root else 0.0
    return {name: root, f"{name}_standard_error": error, f"{name}_planned": planned}


def _mean(name: str, values: Floats, planned: float) -> dict[str, float]:
    return {
        name: float(values.mean()),
        f"{name}_standard_error": float(values.std(ddof=1) / math.sqrt(values.size)),
        f"{name}_planned": planned,
    }
