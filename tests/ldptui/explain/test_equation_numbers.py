"""The corrections of the equations, computed from the text that the user sees.

Each is held against exact enumeration or against q(1 − q)/(p − q)² and the one gain formula; the
printed form is shown to fail where the verdict says wrong.
"""

from __future__ import annotations

import itertools
import math
import re
from math import comb, exp

import pytest
from support.formulas import flat, symbols, value

from ldptui.catalogue import kind_words
from ldptui.core.protocols import PROTOCOLS
from ldptui.explain.equation_list import Equation, equations

EPSILONS = [0.5, 1.0, 2.0, 3.0]


def equation(key: int | str) -> Equation:
    (found,) = [e for e in equations() if key in (e.number, e.id)]
    return found


def rows(block: str) -> dict[str, list[str]]:
    """A table: the cells of each row by its first cell; two spaces or more between cells."""
    cells = [re.split(r" {2,}", line.strip()) for line in block.split("\n") if line.strip()]
    return {first: rest for first, *rest in cells}


def cases(block: str) -> dict[str, str]:
    """The formulas of a case distinction by what stands behind them."""
    lines = [re.split("[⎧⎨⎩]", line)[1].strip() for line in block.split("\n")]
    return {re.split(r" {3,}", x)[1]: re.split(r" {3,}", x)[0] for x in lines if x}


def grr(epsilon: float, d: int) -> tuple[float, float]:
    return exp(epsilon) / (exp(epsilon) + d - 1), 1 / (exp(epsilon) + d - 1)


def sue(epsilon: float) -> tuple[float, float]:
    return exp(epsilon / 2) / (exp(epsilon / 2) + 1), 1 / (exp(epsilon / 2) + 1)


def oue(epsilon: float) -> tuple[float, float]:
    return 0.5, 1 / (exp(epsilon) + 1)


def olh(epsilon: float, g: float) -> tuple[float, float]:
    return exp(epsilon) / (exp(epsilon) + g - 1), 1 / g


def gain(beta: float, support: float, r: int, p: float, q: float, f_t: float) -> float:
    """Equation 22 with its c written out: m/(n + m) = β."""
    return beta * support / (p - q) - beta * (f_t * (p - q) + r * q) / (p - q)


def binomial(n: int, p: float) -> list[float]:
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def moments(laws: list[tuple[int, float]], p: float, q: float, shift: float) -> tuple[float, float]:
    """Mean and variance of (C − shift) / (p − q), C a sum of binomials, by enumerating C."""
    pmf = [1.0]
    for trials, chance in laws:
        other = binomial(trials, chance)
        pmf = [
            sum(pmf[i] * other[k - i] for i in range(len(pmf)) if 0 <= k - i < len(other))
            for k in range(len(pmf) + len(other) - 1)
        ]
    values = [(count - shift) / (p - q) for count in range(len(pmf))]
    mean = sum(w * x for w, x in zip(pmf, values, strict=True))
    return mean, sum(w * (x - mean) ** 2 for w, x in zip(pmf, values, strict=True))


# ------------------------------------------------------------------ protocols


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_probabilities(epsilon: float) -> None:
    d, g = 50, 4
    krr = re.findall(r"⎧ (.+?) = p|⎩ (.+?) = q", equation(9).printed)
    assert [value(a or b, ε=epsilon, d=d) for a, b in krr] == pytest.approx(grr(epsilon, d))
    direct = re.findall(r"[pq] = (.+?) {3}", equation(10).printed)
    assert [value(x, ε=epsilon, d=d) for x in direct] == pytest.approx(grr(epsilon, d))
    unary = re.findall(r"⎧ (.+?) = p|⎩ (.+?) = q", equation(12).printed)
    assert [value((a or b).strip(), ε=epsilon) for a, b in unary] == pytest.approx(oue(epsilon))
    inside = re.findall(r"⎧ (.+?) = p′|⎩ (.+?) = q′", equation(15).printed)
    p_, q_ = (value(a or b, ε=epsilon, d_=g) for a, b in inside)
    assert (p_, q_) == pytest.approx(grr(epsilon, g))
    p_line, q_line = (line.split(" = ") for line in equation(16).printed.split("\n"))
    assert value(p_line[-1], ε=epsilon, d_=g) == pytest.approx(olh(epsilon, g)[0])
    assert value(q_line[1], p_=p_, q_=q_, d_=g) == pytest.approx(1 / g)
    assert value(q_line[2], d_=g) == 1 / g


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_variances(epsilon: float) -> None:
    d, n, f = 50, 1000, 0.2
    ideal = exp(epsilon) + 1

    def rare(p: float, q: float) -> float:
        return n * q * (1 - q) / (p - q) ** 2

    def common(p: float, q: float) -> float:
        return n * f * (1 - p - q) / (p - q)

    krr, unary = grr(epsilon, d), oue(epsilon)
    names = {"ε": epsilon, "d": d, "n": n, "fi": f}
    assert value(flat(equation(11).printed)[0], **names) == pytest.approx(rare(*krr))
    assert value(flat(equation(13).printed)[0], **names) == pytest.approx(rare(*unary))
    assert value(flat(equation(18).printed)[0], **names) == pytest.approx(
        rare(*olh(epsilon, ideal))
    )
    corrected = value(flat(equation(11).corrected)[0], **names)
    assert corrected == pytest.approx(rare(*krr) + common(*krr))
    corrected = value(flat(equation(13).corrected)[0], **names)
    assert corrected == pytest.approx(rare(*unary) + common(*unary))
    for g in (2, 3, 4, 9):
        corrected = value(flat(equation(18).corrected)[0], **names, g=g)
        assert corrected == pytest.approx(rare(*olh(epsilon, g)))
        assert corrected > value(flat(equation(18).printed)[0], **names)  # 18 needs the real g
    table = rows(equation(31).corrected)
    pairs = {"DE": krr, "SUE": sue(epsilon), "OUE": unary, "BLH": olh(epsilon, 2)}
    for name, pair in {**pairs, "OLH": olh(epsilon, 4)}.items():
        assert n * value(table[name][0], **names, g=4) == pytest.approx(rare(*pair)), name
    table = rows(equation(31).printed)
    for name, pair in {"DE": krr, "OUE": unary, "OLH": olh(epsilon, ideal)}.items():
        assert n * value(table[name][0], **names) == pytest.approx(rare(*pair)), name


def test_equation_14_is_not_the_budget_of_krr() -> None:
    lines = {line.split("  ")[0]: line for line in equation(14).corrected.split("\n")}
    printed = flat(equation(14).printed)[0]
    for epsilon in EPSILONS:
        for p, q in (sue(epsilon), oue(epsilon)):
            assert value(printed, p=p, q=q) == pytest.approx(epsilon)
            assert value(lines["SUE, OUE"], p=p, q=q) == pytest.approx(epsilon)
        p, q = grr(epsilon, 50)
        assert value(printed, p=p, q=q) > epsilon * 1.01
        assert value(lines["GRR"], p=p, q=q) == pytest.approx(epsilon)
        p, q = grr(epsilon, 4)  # p′, q′: randomised response on the hash value
        assert value(lines["BLH, OLH"], p_=p, q_=q) == pytest.approx(epsilon)


def test_equation_17_is_the_optimum_and_its_roundings() -> None:
    formula = flat(equation(18).corrected)[0]
    for epsilon in EPSILONS:
        best = value(equation(17).printed, ε=epsilon)
        least = value(formula, n=1, ε=epsilon, g=best)
        assert least < min(value(formula, n=1, ε=epsilon, g=best + step) for step in (-0.1, 0.1))
    roundings = [[rule(exp(e) + 1) for e in EPSILONS] for rule in (math.ceil, round, math.floor)]
    assert roundings == [[3, 4, 9, 22], [3, 4, 8, 21], [2, 3, 8, 21]]


@pytest.mark.parametrize(("epsilon", "largest"), [(0.5, 6), (1.0, 10), (2.0, 24), (3.0, 62)])
def test_equation_32_is_where_the_variances_cross(epsilon: float, largest: int) -> None:
    table = rows(equation(31).printed)
    other = value(table["OUE"][0], ε=epsilon)
    better = [d for d in range(2, 100) if value(table["DE"][0], ε=epsilon, d=d) < other]
    bound = re.findall(r"d [<>] (.+?) +⇒", equation(32).corrected)
    assert better == [d for d in range(2, 100) if d < value(bound[0], ε=epsilon)]
    assert bound[0] == bound[1]
    assert max(better) == largest


# ------------------------------------------------------------------ attacks


def test_equation_29_needs_the_overall_q() -> None:
    epsilon, g, r, beta, f_t = 1.0, 4, 10, 0.05, 0.01
    p, q = olh(epsilon, g)
    p_, q_ = grr(epsilon, g)
    # Every target held, hash value of it and of another, and value sent; ideal hashing.
    exact = 0.0
    for held, own, other, sent in itertools.product(range(r), range(g), range(g), range(g)):
        supported = sent == (own if held == 0 else other)
        exact += supported * (p_ if sent == own else q_) / (r * g * g)
    printed = value(equation(29).printed, r=r, p_=p_, q_=q_)
    corrected = value(equation(29).corrected, r=r, p=p, q=q)
    assert corrected == pytest.approx(exact)
    assert (round(corrected, 4), round(printed, 4)) == (0.2725, 0.2049)
    right = gain(beta, r * corrected, r, p, q, f_t)
    assert right == pytest.approx(beta * (1 - f_t))
    # The note's "off by −β(r − 1)/(d′ − 1)".
    (error,) = re.findall(r"off by (−.+)\.", equation(29).note)
    off = gain(beta, r * printed, r, p, q, f_t) - right
    assert off == pytest.approx(value(error, β=beta, r=r, d_=g))


def test_equation_26_is_the_random_attack() -> None:
    d, targets, epsilon = 6, (0, 1, 2), 1.0
    r, (p, q) = len(targets), oue(epsilon)
    carried = [sum(y[t] for t in targets) for y in itertools.product((0, 1), repeat=d)]
    right = cases(equation(26).corrected)
    assert value(right["RPA"]) == sum(carried) / len(carried) / r
    assert value(right["MGA"]) == max(carried) / r
    assert value(equation(26).printed.split("=")[-1]) == value(right["RPA"]) != value(right["MGA"])
    # A RIA fake holds one of the r targets: its bit is 1 with p, the others with q.
    assert value(right["RIA"], p=p, q=q, r=r) == pytest.approx((p + (r - 1) * q) / r)
    # Only the value 1 leads to the gain printed for MGA (28), and 1/2 to the appendix' RPA.
    names = {"n": 95.0, "m": 5.0, "p": p, "q": q, "r": r, "c": 0.1}
    for kind, key in (("MGA", 28), ("RPA", "gain-oue-rpa"), ("RIA", "gain-oue-ria")):
        each = value(right[kind], p=p, q=q, r=r)
        expected = r * each * 5 / (100 * (p - q)) - 0.1
        assert value(flat(equation(key).printed)[0], **names) == pytest.approx(expected)


def test_equation_24_is_one_of_three_cases() -> None:
    d, r, epsilon = 5, 2, 1.0
    p, q = grr(epsilon, d)
    right = cases(equation(24).corrected)
    assert value(right["RPA"], d=d) == 1 / d  # a uniform item
    held = [p if v == 0 else q for v in range(r)]  # target 0 reported by a fake that holds v
    assert value(right["RIA"], p=p, q=q, r=r) == pytest.approx(sum(held) / r)
    assert value(right["MGA"], r=r) == 1 / r  # a uniform target
    names = {"n": 95.0, "m": 5.0, "p": p, "q": q, "r": r, "d": d, "c": 0.1}
    for kind, key in (("MGA", 25), ("RPA", 23), ("RIA", "gain-krr-ria")):
        expected = r * value(right[kind], p=p, q=q, r=r, d=d) * 5 / (100 * (p - q)) - 0.1
        assert value(flat(equation(key).printed)[0], **names) == pytest.approx(expected)


def test_table_33_and_equation_34() -> None:
    d, r, beta, f_t = 200, 7, 0.05, 0.03
    table = rows(equation(33).printed)
    general, hashing = (line for line in equation(33).corrected.split("\n") if line[:1] == "G")
    affine = {x.split("   ")[0]: x for x in equation(34).corrected.split("\n")}
    found: dict[str, list[float]] = {}
    for epsilon in EPSILONS:
        k, o, h = grr(epsilon, d), oue(epsilon), olh(epsilon, exp(epsilon) + 1)
        names = {"ε": epsilon, "d": d, "r": r, "β": beta, "f_T": f_t}
        supports: dict[str, list[float]] = {
            "RPA": [r / d, r / 2, r * h[1]],
            "RIA": [p + (r - 1) * q for p, q in (k, o, h)],
            "MGA": [1, r, r],
        }
        for attack, row in supports.items():
            for column, (support, (p, q)) in enumerate(zip(row, (k, o, h), strict=True)):
                g = gain(beta, support, r, p, q, f_t)
                cell = table[attack][column]
                cell = table[attack][1] if cell == "as OUE" else cell
                assert value(cell, **names) == pytest.approx(g), (attack, column)
                assert value(general, **names, S=support, p=p, q=q) == pytest.approx(g)
                found.setdefault(f"{attack} {column}", []).append(g)
        assert value(affine["MGA, GRR"], **names) == pytest.approx(found["MGA 0"][-1])
        assert value(affine["MGA, OUE, OLH"], **names) == pytest.approx(found["MGA 1"][-1])
        for g, matched in itertools.product((2, 3, 4, 9), (1.0, 3.3, 7.0)):
            expected = gain(beta, matched, r, *olh(epsilon, g), f_t)
            assert value(hashing, **names, g=g, EM=matched) == pytest.approx(expected)
    x = [value(equation(34).printed.split("∝")[1], ε=epsilon) for epsilon in EPSILONS]
    for name, y in found.items():
        if name.startswith("MGA"):
            slopes = [(y[i] - y[0]) / (x[i] - x[0]) for i in (1, 2, 3)]
            assert slopes == pytest.approx([slopes[0]] * 3)  # affine in 1/(e^ε − 1) …
            assert y[3] / x[3] > 1.05 * y[0] / x[0]  # … but not proportional to it
        else:
            assert y == pytest.approx([y[0]] * 4)


def test_equation_30_with_a_search_over_seeds() -> None:
    def matched(r: int, g: int, seeds: int) -> float:
        at_most = [0.0, *itertools.accumulate(binomial(r - 1, 1 / g))]  # F(0), F(1), …
        return sum(1 - at_most[j - 1] ** seeds for j in range(1, r + 1))

    # Two seeds for three targets, all hash values enumerated; the anchor is target 0.
    hashes = list(itertools.product(range(2), repeat=3))
    best = [max(h.count(h[0]), k.count(k[0])) for h in hashes for k in hashes]
    assert matched(3, 2, 2) == pytest.approx(sum(best) / len(best))
    assert matched(10, 4, 1000) == pytest.approx(7.844, abs=5e-4)
    assert matched(10, 4, 10**9) == pytest.approx(10)  # the printed r needs a perfect hash
    p, q = olh(1.0, 4)
    names = {"n": 95.0, "m": 5.0, "p": p, "q": q, "c": 0.1}
    printed = value(flat(equation(30).printed)[0], **names, r=10)
    corrected = flat(equation(30).corrected)[0]
    assert value(corrected, **names, EM=10) == printed
    assert value(corrected, **names, EM=matched(10, 4, 1000)) < 0.8 * printed


def test_table_35_multiplies_a_deviation_by_r() -> None:
    epsilon, n, r, d, holders = 1.0, 60, 4, 20, 12
    names = {"ε": epsilon, "n": n, "r": r, "d": d, "f_T": holders / n}
    printed, corrected = rows(equation(35).printed), rows(equation(35).corrected)
    p, q = oue(epsilon)
    _, variance = moments([(holders, p), (r * n - holders, q)], p, q, r * n * q)
    exact = math.sqrt(variance) / n
    assert value(corrected["OUE, OLH"][0], **names) == pytest.approx(exact)
    assert value(printed["OUE"][0], **names) > 1.9 * exact
    assert printed["OUE"] == printed["OLH"]
    p, q = grr(epsilon, d)
    a, b = (
        value(x, p=p, q=q, r=r)
        for x in re.findall(r"[ab] = (.+?)(?: and|$)", equation(35).corrected, re.M)
    )
    _, variance = moments([(holders, a), (n - holders, b)], p, q, r * n * q)
    exact = math.sqrt(variance) / n
    assert value(corrected["GRR"][0], **names, p=p, q=q, a=a, b=b) == pytest.approx(exact)
    assert value(printed["kRR"][0], **names) > 1.9 * exact


# ------------------------------------------------------------------ variance of any pure protocol


@pytest.mark.parametrize(
    ("pair", "sign"),
    [
        (grr(1.0, 10), 1),
        (oue(1.0), 1),
        (olh(1.0, 4), 1),
        (sue(1.0), 0),
        (olh(1.0, 2), -1),
        (olh(2.0, 3), -1),  # g below 1 + e^(ε/2) = 3.72
        (olh(2.0, 4), 1),
    ],
)
def test_equations_40_and_41_hold_for_any_pure_protocol(
    pair: tuple[float, float], sign: int
) -> None:
    p, q = pair
    n, holders = 40, 12
    names = {"n": n, "fi": holders / n, "p_star": p, "q_star": q}
    mean, exact = moments([(holders, p), (n - holders, q)], p, q, n * q)
    assert mean == pytest.approx(holders)
    assert value(flat(equation(40).printed)[0], **names) == pytest.approx(exact)
    difference = exact - value(flat(equation(41).printed)[0], **names)
    stated = next(line for line in equation(41).corrected.split("\n") if line.startswith("Var["))
    assert difference == pytest.approx(value(stated, **names), abs=1e-9)
    assert (abs(difference) > 1e-6 * exact) == (sign != 0)
    assert difference * sign >= 0  # 41 is no worst case: the exact variance may exceed it


# ------------------------------------------------------------------ the formulas of the help


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_formulas_of_the_protocols_help(kind: str, epsilon: float) -> None:
    """The formulas of a kind's help are its p, its q and its Var*, where it states them."""
    protocol, n = PROTOCOLS[kind](kind, epsilon).bind(50), 1000
    p, q = protocol.p, protocol.q
    known = {"p": p, "q": q, "a": (1 - q) / (p - q)}
    known["Var*[f~ᵥ]"] = q * (1 - q) / (n * (p - q) ** 2)
    if hasattr(protocol, "chain"):
        chain = protocol.chain
        known |= {"p₁": chain.p1, "q₁": chain.q1, "2p₂ − 1": 2 * chain.p2 - 1}
    if hasattr(protocol, "response"):
        known |= {"p₂": chain.p2, "A₂": chain.p2 / chain.q2}
    formula = kind_words("protocol", kind).formula
    stated = [part.split(" = ", 1) for part in re.split(r" {3,}|,  |\n", formula) if " = " in part]
    stated = [(name, right) for name, right in stated if name in known]
    assert stated, (
        f"the formula of protocol.{kind} in ldptui/catalogue/kinds.toml should state p and q"
    )
    names = {**symbols(kind, protocol), "n": n, "a": known["a"]}
    for name, right in stated:
        others = {symbol: number for symbol, number in names.items() if symbol != name}
        assert value(right, **others) == pytest.approx(known[name]), name
