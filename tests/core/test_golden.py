"""The golden facts: numbers computed once, by hand or by enumeration, without this program."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from support.cases import bind
from support.report_laws import Case

from ldptui.core.bounds.hardening import curve_variance
from ldptui.core.bounds.undetectable import hidden_gain_against
from ldptui.core.defences import DEFENCES, inform_server, project
from ldptui.core.defences.alarms import noise_bounds
from ldptui.core.defences.corrections import threshold
from ldptui.core.lab.ledger import LedgerEntry, SpentBudget, group, sequential
from ldptui.core.lab.privacy_loss import Exponential
from ldptui.core.law.pure import PureProtocol, SeedSearch, item_variance
from ldptui.core.law.support import Support
from ldptui.core.protocols import GRR, KINDS, OLH, OUE, BitNoise, Rappor
from ldptui.core.protocols.chains import Response
from ldptui.core.protocols.curators import Laplace, Stability
from ldptui.core.protocols.curators.accuracy import (
    laplace_epsilon,
    stability_accuracy,
    stability_epsilon,
)
from ldptui.core.protocols.hashing import hash_range_for, matched_law
from ldptui.core.protocols.rappor import learnable_items
from ldptui.core.protocols.she import Summation
from ldptui.core.protocols.subset import SubsetSelection
from ldptui.core.protocols.the import Thresholding, best_theta
from ldptui.core.task.hitters.prefixes import prefix_lengths
from ldptui.core.theory import (
    count_variance,
    exact_border,
    gain,
    item_shift,
    item_variances,
    recommended_protocol,
)

FACTS = {
    fact["id"]: fact
    for fact in json.loads(
        (Path(__file__).parents[1] / "support" / "golden_facts.json").read_text()
    )["facts"]
}
Inputs = dict[str, Any]


class Ideal:
    """Local hashing with g = e^ε + 1, an integer or not: what the papers' tables assume."""

    def __init__(self, epsilon: float) -> None:
        self.p, self.q = 0.5, 1 / (math.exp(epsilon) + 1)


def grr_pq(given: Inputs) -> Any:
    protocol = bind(Case("grr", given["d"], given["eps"]))
    return {"p": protocol.p, "q": protocol.q}


def sue_pq(given: Inputs) -> Any:
    protocol = bind(Case("sue", 2, given["eps"]))
    # Randomised response in one step: 0 or 1 with probability f/2 each, else the bit itself.
    return {"p": protocol.p, "q": protocol.q, "f": 2 * protocol.q}


def olh_g_rounding(given: Inputs) -> Any:
    found = {}
    for epsilon in given["eps"]:
        ceil, nearest, floor = (
            hash_range_for(epsilon, rule) for rule in ("ceil", "nearest", "floor")
        )
        found[str(epsilon)] = {
            "g_ideal": 1 / Ideal(epsilon).q,
            "ceil(e^eps+1)": ceil,
            "round(e^eps+1)": nearest,
            "floor(e^eps+1)": floor,
            "var_ceil": count_variance(OLH(10, epsilon, "ceil")),
            "var_floor": count_variance(OLH(10, epsilon, "floor")),
            "var_ideal": count_variance(OUE(10, epsilon)),
        }
    return found


def exact_var_with_f(given: Inputs) -> Any:
    cases = {"GRR": ("grr", None), "OUE": ("oue", None), "SUE": ("sue", None)}
    hashing = {"OLH_g4": ("olh", 4), "BLH": ("blh", 2)}
    return {
        name: item_variance(bind(Case(kind, given["d"], given["eps"], g)), given["n"], given["f_v"])
        for name, (kind, g) in {**cases, **hashing}.items()
    }


def subset_selection(given: Inputs) -> Any:
    protocol = KINDS["ss"]("ss", given["eps"]).bind(given["d"])
    return {
        "omega": protocol.subset_size,
        "p": protocol.p,
        "q": protocol.q,
        "var": count_variance(protocol),
    }


def de_vs_oue_threshold(given: Inputs) -> Any:
    return {
        str(epsilon): max(d for d in range(2, 100) if recommended_protocol(d, epsilon) == "grr")
        for epsilon in given["eps"]
    }


def table1(given: Inputs) -> Any:
    d, r, share, held = given["d"], given["r"], given["beta"], given["fT"]
    grr, oue = bind(Case("grr", d, given["eps"])), bind(Case("oue", d, given["eps"]))
    olh: Any = Ideal(given["eps"])

    def gains(protocol: Any, random: float, honest: float, crafted: float) -> dict[str, float]:
        laws = {"RPA": random, "RIA": honest, "MGA": crafted}
        return {
            name: gain(protocol, Support(rate, 0, 0, 0, 0), r, share, held)
            for name, rate in laws.items()
        }

    def own(protocol: Any) -> dict[str, float]:
        search = SeedSearch()
        return gains(
            protocol,
            protocol.find_support("random", r).target,
            protocol.find_support("honest", r).target,
            protocol.find_support("crafted", r, search).target,
        )

    return {
        "kRR": own(grr),
        "OUE": own(oue),
        "OLH": gains(olh, olh.q, (olh.p + (r - 1) * olh.q) / r, 1),
    }


def c_constant(given: Inputs) -> Any:
    d, r, share, held = given["d"], given["r"], given["beta"], given["fT"]
    cases = {"kRR": ("grr", None), "OUE": ("oue", None), "OLH_g4": ("olh", 4)}
    return {  # minus the gain of fakes that support no target
        name: -gain(bind(Case(kind, d, given["eps"], g)), Support(0, 0, 0, 0, 0), r, share, held)
        for name, (kind, g) in cases.items()
    }


def oue_mga_padding(given: Inputs) -> Any:
    return {f"d={d},r={r}": OUE(d, given["eps"]).padding(r) for d in (102, 1024) for r in (1, 10)}


def oue_mga_nontarget(given: Inputs) -> Any:
    d, r = given["d"], given["r"]
    protocol = OUE(d, given["eps"])
    rate = protocol.find_support("crafted", r, SeedSearch()).other
    held = (1 - given["fT"]) / (d - r)
    return (d - r) * item_shift(protocol, rate, given["beta"], held)


def olh_seed_search_em(given: Inputs) -> Any:
    return {
        scoring: [
            float(matched_law(r, given["g"], SeedSearch(given["K"], scoring)) @ np.arange(r + 1))
            for r in given["r"]
        ]
        for scoring in ("anchor", "bucket")
    }


def olh_mga_integer_g(given: Inputs) -> Any:
    r, every = given["r"], Support(1, 0, 0, 0, 0)
    return {
        str(g): gain(OLH(64, given["eps"], g), every, r, given["beta"], given["fT"])
        for g in (2, 3, 4, 8)
    }


def rappor_eps_windows(given: Inputs) -> Any:
    noise = BitNoise(given["f"], given["p"], given["q"])
    return {
        "q_star": noise.q_star,
        "p_star": noise.p_star,
        "eps_1": noise.epsilon_one(given["h"]),
        "eps_inf": noise.epsilon_infinity(given["h"]),
    }


def rappor_eps_onetime(given: Inputs) -> Any:
    # The fact has nine decimals, fewer than its tolerance asks for.
    return round(BitNoise(given["f"], given["p"], given["q"]).epsilon_one(given["h"]), 9)


def rappor_eps_inf_table(given: Inputs) -> Any:
    return [BitNoise(f, 0.5, 0.75).epsilon_infinity(h) for f, h in given["(f,h)"]]


def rappor_bit_estimator(given: Inputs) -> Any:
    protocol = Rappor(2, 2, 1, 1, BitNoise(given["f"], given["p"], given["q"]))
    share, std = protocol.bit_frequencies(np.array([[given["c"], 0, given["N"]]]))
    return {"t": share[0, 0] * given["N"], "sd_null": std[0, 0] * given["N"]}


def rappor_learning_limit(given: Inputs) -> Any:
    noise, found = BitNoise(0, 0.5, given["q"]), {}
    for users in (1e8, 1e10, 1e6):
        most = learnable_items(noise, users, 10**4)
        quantile = (2 * given["q"] - 1) * math.sqrt(users) / most
        found[f"N={users:.0e},M=1e+04"] = {"Q": quantile, "x_max": most}
    return found


def histogram_accuracy(given: Inputs) -> Any:
    alpha, delta = given["alpha"], given["delta"]
    return {
        str(epsilon): {
            "laplace": Laplace(2, epsilon).accuracy(alpha),
            "stability_threshold": Stability(2, epsilon, delta=delta).threshold,
            "stability": Stability(2, epsilon, delta=delta).accuracy(alpha),
            "stability_alt": stability_accuracy(epsilon, alpha, delta),
            "laplace_simultaneous_50bins": Laplace(2, epsilon).accuracy(alpha, bins=50),
        }
        for epsilon in given["eps"]
    }


def histogram_epsilon(given: Inputs) -> Any:
    accuracy, alpha = given["a"], given["alpha"]
    return {
        "laplace": laplace_epsilon(accuracy, alpha),
        "stability": stability_epsilon(accuracy, alpha, given["delta"]),
    }


def group_composition(given: Inputs) -> Any:
    return {
        "group(eps=.5,k=3)": group(SpentBudget(0.5, 0.0), 3).epsilon,
        "compose(.3,.7)": sequential([LedgerEntry("one", 0.3), LedgerEntry("two", 0.7)]).epsilon,
        "expmech": Exponential(1.0).probabilities(np.array([0, 1, 2])).tolist(),
    }


def by_defence(kind: str, given: Inputs, protocol: Any = GRR) -> list[float]:
    """The estimates of a fact after a defence, in a collection by this protocol."""
    own = {"eta": given["eta"]} if "eta" in given else {}
    there = inform_server(
        protocol(len(given["f"]), given.get("eps", 1.0)), 1000, np.empty(0, np.int64)
    )
    corrected = DEFENCES[kind](**own).correct(np.array([given["f"]]), there)
    return corrected[0].tolist()  # type: ignore[no-any-return]


def significance_threshold(given: Inputs) -> Any:
    bound = [protocol(given["d"], given["eps"]) for protocol in (OUE, GRR)]
    limits = [threshold(given["alpha"], inform_server(each, given["n"], np.empty(0, np.int64)))
              for each in bound]  # fmt: skip
    return {"OUE": limits[0], "GRR1024": limits[1]}


def asd_xi(given: Inputs) -> Any:
    users, levels = given["n"], given["gamma"]
    told = inform_server(OUE(16, given["eps"]), users, np.empty(0, np.int64))
    bounds = users * noise_bounds(np.array(levels), told)
    return dict(zip(map(str, levels), bounds.tolist(), strict=True))


def the_optimal_theta(given: Inputs) -> Any:
    thetas = {epsilon: best_theta(epsilon) for epsilon in given["eps"]}
    return {
        str(epsilon): {"theta": theta, "var": count_variance(Thresholding(16, epsilon, theta))}
        for epsilon, theta in thetas.items()
    }


def she_blh_crossover(_: Inputs) -> Any:
    def difference(epsilon: float) -> float:
        blh = bind(Case("blh", 16, epsilon))
        return Summation(16, epsilon, bound=1).noise - count_variance(blh)

    return brentq(difference, 1, 4)


def hardening_curve(given: Inputs) -> Any:
    return {f"a={a}": curve_variance(a, given["eps"]) for a in (2.164, 3.164)}


def undetectable_small(given: Inputs) -> Any:
    users = np.arange(1, given["d"] + 1)
    return {
        kind: hidden_gain_against(
            protocol(given["d"], given["eps"]),
            np.unique(users, return_counts=True),
            users[:1],
            given["beta"],
        )
        for kind, protocol in {"oue": OUE, "grr": GRR}.items()
    }


def mse_sum(protocol: PureProtocol) -> Any:
    held = np.full(protocol.domain_size, 1 / protocol.domain_size)
    return {"sum": float(item_variances(protocol, 1, held).sum())}


def loloha_true_eps1(given: Inputs) -> Any:
    return {
        "eps": Response.solve_response(
            given["g"], given["eps_1"], given["eps_inf"], "published"
        ).epsilon_of_rounds(1)
    }


CHECKS: dict[str, Callable[[Inputs], Any]] = {
    "pem_lambda": lambda given: [list(prefix_lengths(*row)) for row in given["(gamma,k,g)"]],
    "grr_pq": grr_pq,
    "subset_selection": subset_selection,
    "normalization": lambda given: by_defence("normalise", given),
    "ldprecover_small": lambda given: by_defence("ldprecover", given, GRR),
    "ldprecover_equivalence": lambda given: {
        "ldprecover": by_defence("ldprecover", given, OUE),
        "simplex": project((1 + given["eta"]) * np.array(given["f"])).tolist(),
    },
    "significance_threshold": significance_threshold,
    "norm_sub": lambda given: project(np.array([given["f"]]))[0].tolist(),
    "sue_pq": sue_pq,
    "olh_g_rounding": olh_g_rounding,
    "exact_var_with_f": exact_var_with_f,
    "de_vs_oue_threshold": de_vs_oue_threshold,
    "table1_defaults": table1,
    "table1_r10": table1,
    "c_constant": c_constant,
    "oue_mga_padding": oue_mga_padding,
    "oue_mga_nontarget": oue_mga_nontarget,
    "olh_seed_search_EM": olh_seed_search_em,
    "olh_mga_integer_g": olh_mga_integer_g,
    "rappor_eps_windows": rappor_eps_windows,
    "rappor_eps_onetime": rappor_eps_onetime,
    "rappor_eps_inf_table": rappor_eps_inf_table,
    "rappor_bit_estimator": rappor_bit_estimator,
    "rappor_learning_limit": rappor_learning_limit,
    "histogram_accuracy": histogram_accuracy,
    "histogram_epsilon": histogram_epsilon,
    "group_composition": group_composition,
    "asd_xi": asd_xi,
    "the_optimal_theta": the_optimal_theta,
    "she_blh_crossover": she_blh_crossover,
    "hardening_curve": hardening_curve,
    "undetectable_small": undetectable_small,
    "oue_mse_sum": lambda given: mse_sum(OUE(given["d"], given["eps"])),
    "ss_mse_sum": lambda given: mse_sum(SubsetSelection(given["d"], given["eps"], given["w"])),
    "grr_oue_crossing": lambda _: {
        f"eps={epsilon}": math.floor(exact_border(epsilon)) for epsilon in (1, 2)
    },
    "loloha_true_eps1": loloha_true_eps1,
}
"""The check of every fact."""


def leaves(value: Any, path: str = "") -> dict[str, float]:
    """Every number of nested dicts and lists, by its place."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = dict(enumerate(value)).items()
    else:
        return {path: float(value)}
    return {k: v for key, one in parts for k, v in leaves(one, f"{path}/{key}").items()}


def approximately(fact: dict[str, Any]) -> Any:
    return pytest.approx(leaves(fact["expected"]), **{"rel": 0.0, "abs": 0.0, **fact["tol"]})


@pytest.mark.parametrize("name", FACTS)
def test_golden_fact(name: str) -> None:
    assert leaves(CHECKS[name](FACTS[name]["inputs"])) == approximately(FACTS[name])


@pytest.mark.parametrize("name", CHECKS)
def test_a_wrong_number_is_noticed(name: str) -> None:
    fact = FACTS[name]
    numbers = leaves(CHECKS[name](fact["inputs"]))
    for place, number in numbers.items():
        allowed = fact["tol"].get("abs", 0) + fact["tol"].get("rel", 0) * abs(number)
        step = 1 if number == int(number) else max(1e-5 * number, 3 * allowed)
        assert {**numbers, place: number + step} != approximately(fact)
