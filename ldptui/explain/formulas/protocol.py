"""The protocol: its p, q and ε, and which one to take."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from core import theory
from core.cell import Cell
from core.protocols import GRR, LocalHashing, Unary

from ...text.format import count, short
from .formula import CJG, W17, Live, numeric
from .rappor import noise_equations


def protocol_equations(cell: Cell) -> Iterator[Live]:
    part = "Protocol"
    protocol = cell.pure
    epsilon, d, p, q = protocol.epsilon, protocol.domain_size, protocol.p, protocol.q
    e = math.exp(epsilon)
    live = partial(numeric, part)

    own, other = "A report supports the own item", "A report supports any other item"
    if isinstance(protocol, GRR):
        put = f"({short(e)} + {count(d)} − 1)"
        yield live(own, "p = e^ε / (e^ε + d − 1)", f"{short(e)} / {put}", p, W17, 9)
        yield live(other, "q = 1 / (e^ε + d − 1)", f"1 / {put}", q, W17, 9)
        yield live(
            "Privacy budget from p and q", "ε = ln(p / q)", f"ln({short(p)} / {short(q)})",
            theory.epsilon_of_direct(p, q), W17, 14,
        )  # fmt: skip
    elif isinstance(protocol, Unary):
        half = math.exp(epsilon / 2)
        if cell.noise is not None:
            yield from noise_equations(cell, cell.noise)
        elif is_oue(protocol):
            yield live(own, "p = 1/2", "1/2", p, W17, 12)
            yield live(other, "q = 1 / (e^ε + 1)", f"1 / ({short(e)} + 1)", q, W17, 12)
        elif is_sue(protocol):
            put = f"({short(half)} + 1)"
            yield live(own, "p = e^(ε/2) / (e^(ε/2) + 1)", f"{short(half)} / {put}", p, W17)
            yield live(other, "q = 1 / (e^(ε/2) + 1)", f"1 / {put}", q, W17)
        else:
            put = f"{short(p)} / ({short(p)} + (1 − {short(p)}) · {short(e)})"
            yield live(own, "p", "as given", p, W17)
            yield live(other, "q = p / (p + (1 − p) e^ε)", put, q, W17)
        yield live(
            "Privacy budget from p and q",
            "ε = ln[ p(1 − q) / ((1 − p) q) ]",
            f"ln[ {short(p)} · (1 − {short(q)}) / ((1 − {short(p)}) · {short(q)}) ]",
            theory.epsilon_of_unary(p, q), W17, 14,
        )  # fmt: skip
    elif isinstance(protocol, LocalHashing):
        g = protocol.hash_range
        other_bucket = (1 - p) / (g - 1)
        put = f"({short(e)} + {g} − 1)"
        yield from hash_range_equation(cell, g, e)
        yield live(own, "p = p′ = e^ε / (e^ε + g − 1)", f"{short(e)} / {put}", p, W17, 16)
        yield live(
            "A given other bucket is sent", "q′ = 1 / (e^ε + g − 1)", f"1 / {put}",
            other_bucket, W17, 15,
        )  # fmt: skip
        yield live(other, "q = 1 / g", f"1 / {g}", q, W17, 16)
        yield live(
            "Privacy budget from p′ and q′", "ε = ln(p′ / q′)",
            f"ln({short(p)} / {short(other_bucket)})",
            theory.epsilon_of_direct(p, other_bucket), W17, 14,
        )  # fmt: skip
    threshold = 3 * e + 2
    best = {"grr": "kRR (GRR)", "oue": "OUE, or OLH"}[theory.recommended(d, epsilon)]
    yield Live(
        "Which protocol has the least variance",
        "d < 3 e^ε + 2 ⇒ kRR, else OUE or OLH",
        f"d = {count(d)}, threshold 3 · {short(e)} + 2 = {short(threshold)}",
        best, threshold, f"{W17}, section 5", 32, part,
    )  # fmt: skip


def hash_range_equation(cell: Cell, g: int, e: float) -> Iterator[Live]:
    """Where g comes from."""
    rule = cell.parameters.get("protocol.hash_range")
    ideal = short(e + 1)
    number: int | None = 17
    if rule == "nearest":
        formula, put, source = "g = integer nearest to e^ε + 1", f"nearest to {ideal}", W17
    elif rule == "ceil":
        formula, put, source = "g = ⌈e^ε + 1⌉", f"⌈{ideal}⌉", CJG
    elif rule == "floor":
        formula, put, source = "g = ⌊e^ε + 1⌋", f"⌊{ideal}⌋", "Li, Li, Wang, Sun 2025"
    elif rule is None:
        formula, put, source = "g", f"2 for every ε; the optimum is e^ε + 1 = {ideal}", W17
        number = None
    else:
        formula, put, source = "g", f"as given; the optimum is e^ε + 1 = {ideal}", W17
    yield Live("Hash range: how many buckets", formula, put, str(g), g, source, number, "Protocol")


def is_oue(protocol: Unary) -> bool:
    return protocol.p == 0.5


def is_sue(protocol: Unary) -> bool:
    return math.isclose(protocol.p + protocol.q, 1)
