"""Rehearsals: the collection of a plan, or of a design, is simulated on the counts path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Floats
from ..law.pure import PureProtocol, Rng, SeedSearch
from .planner import Oracle, Plan, attack_floor, found_power, noise_threshold, unattacked

AT_ONCE: Final = 1 << 17
"""Counts drawn in one call: an interrupt is obeyed between two calls."""


def rehearsed(
    protocol: PureProtocol, plan: Plan, trials: int, rng: Rng, targets: int = 1
) -> dict[str, float | int]:
    """Simulate a plan on the counts path, and measure what it promises.

    Item 0 has the plan's frequency and item 1 all other users; nobody holds the rest, and the fakes
    lift the last `targets` of them. Returns, by name, each with its standard error and its closed
    form: power, the share of trials that find item 0; item and target, the mean estimates of item
    0 and of a target; alarms, the share of trials without an attack in which an item that nobody
    holds passes the noise threshold. Its plan takes those items, two fewer than all, as
    independent, which makes it a little less than α.
    """
    if plan.items < targets + 2:
        rule = f"needs at least {targets + 2} items to check: one found, one of others, the lifted"
        raise ScenarioError(f"{rule}, {got(plan.items)}", key="items")
    oracle = Oracle.of(protocol, targets)
    users = round(plan.users)
    fakes = round(plan.users * plan.share / (1 - plan.share))
    held = np.zeros(plan.items, dtype=np.int64)
    held[0] = round(users * plan.frequency)
    held[1] = users - held[0]
    aims = np.arange(plan.items - targets, plan.items)
    threshold = attack_floor(oracle, plan) + noise_threshold(oracle, plan)
    clean = noise_threshold(oracle, unattacked(plan))
    shown, lifted, alarms = [], [], 0
    step = max(1, AT_ONCE // plan.items)
    for at in range(0, trials, step):
        rows = min(step, trials - at)
        counts = protocol.sample_counts(np.tile(held, (rows, 1)), rng)
        empty = protocol.estimates(counts, users).frequencies[:, 2:]
        alarms += int((empty.max(axis=1) > clean).sum())
        fake = protocol.craft_counts(aims, np.full(rows, fakes), SeedSearch(), rng)
        estimates = protocol.estimates(counts + fake, users + fakes).frequencies
        shown.append(estimates[:, 0])
        lifted.append(estimates[:, -1])
    item, raised = np.concatenate(shown), np.concatenate(lifted)
    power, share = float((item > threshold).mean()), fakes / (users + fakes)
    exact = replace(plan, share=share)
    return {
        "trials": trials,
        "power": power,
        "power_standard_error": math.sqrt(power * (1 - power) / trials),
        "power_planned": found_power(oracle, exact, lowered=True),
        **_mean("item", item, (1 - share) * held[0] / users - share * oracle.lowered),
        **_mean("target", raised, attack_floor(oracle, exact)),
        "alarms": alarms / trials,
        "alarms_standard_error": math.sqrt(alarms / trials * (1 - alarms / trials) / trials),
        "alarms_planned": 1 - (1 - plan.alpha / plan.items) ** (plan.items - 2),
    }


def tried(
    protocol: PureProtocol,
    users: int,
    share: float,
    targets: int,
    planned: Mapping[str, float],
    trials: int,
    rng: Rng,
) -> dict[str, float | int]:
    """A protocol on the counts path: all users hold one item, and the targets are held by nobody.

    noise : the RMSE of a target without an attack. gain : Σ over the targets, each trial with and
    without the fakes. worst : the RMSE of one target that all fakes aim at. Measured, with their
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
            fake = protocol.craft_counts(some, np.full(rows, fakes), SeedSearch(), rng)
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
