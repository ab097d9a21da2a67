"""`ldptui accuracy`: what a curator's histogram is off by, and what locality costs beside it."""

from __future__ import annotations

import math
from argparse import Namespace
from typing import Any, Final

import numpy as np

from core.bounds import Range
from core.errors import ScenarioError
from core.protocols.curators import SENSITIVITY
from core.protocols.curators import accuracy as acc
from core.pure import DOMAIN, item_variance

from .. import exits
from ..text import format as text
from .mechanisms import bound, curator
from .options import CURATORS
from .output import Row, laid_out, of_option, row, show, within

BESIDE: Final = ("grr", "sue", "oue", "olh")

OPTIONS: Final = {
    "epsilon": "--epsilon",
    "accuracy": "--accuracy",
    "alpha": "--alpha",
    "bins": "--bins",
    "delta": "--delta",
    "domain_size": "--items",
}


def run(options: Namespace) -> int:
    """Print the accuracies, or the budgets that an accuracy needs."""
    try:
        values = accuracies(options)
    except ScenarioError as error:
        raise of_option(error, OPTIONS) from error
    show(options, values, _table(options, values))
    return exits.DONE


def accuracies(options: Namespace) -> dict[str, Any]:
    """ε, accuracy and scale of each central mechanism; the errors of local protocols beside."""
    if (options.items is None) != (options.users is None):
        missing = "--items" if options.items is None else "--users"
        raise ScenarioError("is needed too, for the price of locality", key=missing)
    within("--items", options.items, DOMAIN)
    within("--users", options.users, Range(1, 1e15))
    mechanisms = {name: _mechanism(name, options) for name in CURATORS}
    return {
        "neighbours": options.neighbours,
        "sensitivity": SENSITIVITY[options.neighbours],
        "alpha": options.alpha,
        "bins": options.bins,
        "mechanisms": mechanisms,
        "locality": None if options.items is None else _locality(options, mechanisms),
    }


def _mechanism(name: str, options: Namespace) -> dict[str, Any]:
    goal, alpha, delta, bins = options.accuracy, options.alpha, options.delta, options.bins
    near, epsilon = options.neighbours, options.epsilon
    found: float
    if name == "laplace":
        if goal is not None:
            epsilon = acc.laplace_epsilon(goal, alpha, bins, near)
        found = acc.laplace_accuracy(epsilon, alpha, bins, near)
    elif name == "geometric":
        if goal is not None:
            epsilon = acc.geometric_epsilon(goal, alpha, bins, near)
        found = acc.geometric_accuracy(epsilon, alpha, bins, near)
    else:
        if goal is not None:
            epsilon = acc.stability_epsilon(goal, alpha, delta, bins, near)
        found = acc.stability_accuracy(epsilon, alpha, delta, bins, near)
    values = {
        "epsilon": epsilon,
        "delta": delta if name == "stability" else 0.0,
        "scale": acc.scale(epsilon, near),
        "accuracy": found,
    }
    if name == "stability":
        values["threshold"] = acc.stability_threshold(epsilon, delta, near)
    return values


def _locality(options: Namespace, mechanisms: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The errors of a frequency, and how many users a local protocol needs for Laplace's.

    No population is needed: a local variance is affine in the frequency, and frequencies are 1/d
    in the mean; that of Laplace and geometric noise is the same in every bin.
    """
    d, n = options.items, options.users
    central = {
        name: curator(name, d, mechanisms[name]["epsilon"], 0.0, options.neighbours)
        for name in ("laplace", "geometric")
    }
    one = np.zeros(1, dtype=np.int64)
    errors = {name: float(m.squared_error(one)[0]) / n**2 for name, m in central.items()}
    local = {}
    for kind in BESIDE:
        protocol = bound(kind, d, mechanisms["laplace"]["epsilon"])
        error = float(item_variance(protocol, n, 1 / d))
        factor = error / errors["laplace"]
        local[kind] = {"std": math.sqrt(error), "users": n * factor, "factor": factor}
    return {
        "items": d,
        "users": n,
        "epsilon": mechanisms["laplace"]["epsilon"],
        "central_std": {name: math.sqrt(error) for name, error in errors.items()},
        "local": local,
    }


def formulas(width: int) -> tuple[tuple[str, str, str, str], ...]:
    """(mechanism, accuracy from ε, ε from accuracy, source), for a sensitivity."""
    return (
        ("laplace", f"({width}/ε) ln(1/α)", f"({width}/a) ln(1/α)", "PSI"),
        ("geometric", "least a: 2r^(a+1)/(1+r) ≤ α", "likewise, r = e^(−ε/Δ)", "GRS"),
        ("stability", f"({width}/ε) ln(2/(αδ)) + 1", f"{width} ln(2/(αδ))/(a − 1)", "PSI"),
    )


def _table(options: Namespace, values: dict[str, Any]) -> str:
    found, width = values["mechanisms"], values["sensitivity"]
    forward = options.accuracy is None
    rows: list[Row] = []
    for name, ahead, back, source in formulas(width):
        if forward:
            rows.append(row(f"{name}: off by", found[name]["accuracy"], ahead, source, 6))
        else:
            rows.append(row(f"{name}: needs ε", found[name]["epsilon"], back, source, 6))
    threshold = found["stability"]["threshold"]
    rows.append(row("stability: threshold", threshold, f"({width}/ε) ln(2/δ) + 1", "V th. 3.5", 6))
    where = values["locality"]
    if where is not None:
        for name, std in where["central_std"].items():
            rows.append(row(f"{name}: frequency error", std, "√Var, of one item", "DR 3.3"))
        for kind, one in where["local"].items():
            rows.append(row(f"{kind}: frequency error", one["std"], "√Var, mean item", "W17 th. 2"))
        for kind, one in where["local"].items():
            factor = f"{text.short(one['factor'], 3)} × n"
            rows.append(row(f"{kind}: users needed", one["users"], factor, "W17 th. 2"))
    given = (
        f"ε = {text.chosen(options.epsilon)}"
        if forward
        else f"off by a = {text.chosen(options.accuracy)} at most"
    )
    alpha, delta = text.chosen(options.alpha), text.chosen(options.delta)
    title = f"Central histogram, {given}, α = {alpha}, δ = {delta}"
    notes = [f"{options.neighbours} neighbours, so that the sensitivity Δ is {width}"]
    if options.bins == 1:
        notes.append("one bin is off by more than that with probability α at most")
    else:
        notes.append(
            f"any of {options.bins} bins is off by more with probability α at most: each has "
            f"1 − (1 − α)^(1/{options.bins}) for α"
        )
    if where is not None:
        size = f"d = {text.count(where['items'])}, n = {text.count(where['users'])}"
        notes.append(f"with {size}; users needed: for the error that laplace has with n")
    return laid_out(title, rows, notes)
