"""Hadamard response (HR): the report is a block of items and a column of a Hadamard matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.protocols.coded import Coded
from ldptui.core.protocols.hadamard import HadamardResponse

from ..text.format import count, short
from .attack import attacked
from .closed_forms import PROTOCOL, choice, reach, shown_item
from .coded import reports
from .formula import Entry, Formula, listed, numeric
from .setting import Setting
from .story import Story, Supported
from .table import P_AND_Q, coded_notes

ASZ: Final = "Acharya, Sun, Zhang 2019"


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: HadamardResponse = setting.protocol
    yield from _blocks(protocol)
    yield from _probabilities(protocol)
    yield from choice(protocol)
    yield from _spread(setting)
    if setting.cell is not None:
        yield from _of_one_item(setting.cell, protocol)
    yield from attacked(setting, SUPPORTED)


def _blocks(protocol: HadamardResponse) -> Iterator[Formula]:
    d, e = protocol.domain_size, math.exp(protocol.epsilon)
    blocks, size = protocol.blocks, protocol.block_size
    live = partial(numeric, PROTOCOL, source=ASZ)
    yield live(
        "Blocks of items", "B = the largest power of two < min(e^ε, 2d)",
        f"2^k < min({short(e)}, {count(2 * d)})", blocks,
        entry=Entry("blocks", "B", "ASZ", "largest 2^k < min(e^ε, 2d)"),
    )  # fmt: skip
    yield live(
        "Rows and columns of the matrix of a block", "b = the least power of two ≥ d / B + 1",
        f"2^k ≥ {count(d)} / {count(blocks)} + 1", size,
        entry=Entry("block_size", "b", "ASZ", "least 2^k ≥ d/B + 1"),
    )  # fmt: skip
    yield live(
        "Messages", "K = B b", f"{count(blocks)} · {count(size)}", protocol.messages,
        entry=Entry("messages", "K", "ASZ", "B b"),
    )  # fmt: skip


def _probabilities(protocol: HadamardResponse) -> Iterator[Formula]:
    e, blocks = math.exp(protocol.epsilon), protocol.blocks
    live = partial(numeric, PROTOCOL, source=ASZ)
    yield live(
        "Mean support of the own item: +1, −1, or 0 from another block",
        "p = (e^ε − 1) / (e^ε − 1 + 2B)",
        f"{short(e - 1)} / ({short(e - 1)} + {2 * blocks})", protocol.p,
        entry=Entry("p", "p", "ASZ"),
    )  # fmt: skip
    yield live(
        "Mean support of any other item", "q = 0", "as many +1 as −1", protocol.q,
        entry=Entry("q", "q", "ASZ"),
    )  # fmt: skip
    least = (1 - protocol.truthful) / protocol.messages
    most = least + protocol.truthful / protocol.agreeing
    yield live(
        "Privacy budget from the chance of a message that agrees, and of one that does not",
        "ε = ln(p₁ / p₀),  p₀ = 1 / ((b/2)(e^ε − 1 + 2B))", f"ln({short(most)} / {short(least)})",
        math.log(most / least),
    )  # fmt: skip


def _spread(setting: Setting) -> Iterator[Formula]:
    """The spread of an estimate, for the table."""
    protocol = setting.protocol
    yield listed(
        "variance_per_user", "variance per user", theory.count_variance(protocol),
        "(2/(e^ε − 1) + F_b)/p", "ASZ",
    )  # fmt: skip
    yield from reach(protocol)
    if setting.users is not None:
        yield listed(
            "frequency_std", "frequency std", theory.frequency_std(protocol, setting.users),
            "√(variance per user / n)", "ASZ",
        )  # fmt: skip


def _of_one_item(cell: Cell, protocol: HadamardResponse) -> Iterator[Formula]:
    v, what = shown_item(cell)
    truth, n = cell.population.frequencies, cell.users
    f, e, blocks = float(truth[v]), math.exp(protocol.epsilon), protocol.blocks
    part = f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}"
    live = partial(numeric, part)
    p_, n_ = short(protocol.p), count(n, 9)
    yield live(
        "Reports for v less those against it, on average", "E[Cᵥ] = n fᵥ p",
        f"{n_} · {short(f)} · {p_}", n * f * protocol.p, ASZ,
    )  # fmt: skip
    yield live("The estimate from that count: unbiased", "f~ᵥ = Cᵥ / (n p)",
               f"{short(n * f * protocol.p)} / ({n_} · {p_})", f, ASZ)  # fmt: skip
    block = np.arange(truth.size) // (protocol.block_size - 1)
    unit, least = theory.count_variance(protocol), short(2 * (blocks + (e - 1) / 2))
    yield live(
        "Var* of a count, for one user: of an item that nobody holds, all others alike",
        "Var*[c~ᵥ] / n = (2 + (e^ε − 1) F_b)(e^ε − 1 + 2B) / (e^ε − 1)²",
        f"(2 + {short(e - 1)} F_b) · {least} / {short(e - 1)}²", unit, ASZ,
    )  # fmt: skip
    yield live(
        "Variance of the estimate of an item that nobody holds", "Var*[f~ᵥ] = Var*[c~ᵥ] / n²",
        f"{short(unit)} / {n_}", unit / n, ASZ,
    )  # fmt: skip
    beside = float(truth[block == block[v]].sum())
    yield live("Users of its block, who are heard there more often", "F_b = Σ_(u in the block) fᵤ",
               f"over {count(int((block == block[v]).sum()))} items", beside, ASZ)  # fmt: skip
    variance = float(theory.item_variances(protocol, n, truth)[v])
    e_ = short(e - 1)
    yield live(
        "Variance of the estimate of v",
        "Var[f~ᵥ] = [ (2 + (e^ε − 1) F_b)(e^ε − 1 + 2B) / (e^ε − 1)² − fᵥ ] / n",
        f"[ (2 + {e_} · {short(beside)}) · ({e_} + {2 * blocks}) / {e_}² − {short(f)} ] / {n_}",
        variance, f"{ASZ}, exact",
    )  # fmt: skip
    yield live(
        "Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]", f"√{short(variance)}",
        math.sqrt(variance), ASZ,
    )  # fmt: skip
    mean = float(theory.item_variances(protocol, n, truth).mean())
    yield live(
        "Expected mean squared error without attack", "MSE = Σᵥ Var[f~ᵥ] / d",
        f"over {count(truth.size)} items", mean, ASZ,
    )  # fmt: skip


SUPPORTED: Final = {
    "random": lambda _, __, ___: Supported("S = 0: for and against alike", "0"),
    "honest": lambda protocol, _, __: Supported("S = p", short(protocol.p)),
    "unperturbed": lambda _, __, ___: Supported("S = 1: the rest cancels", "1"),
    "crafted": lambda _, __, ___: Supported(
        "S = targets in the block that has most", "counted over all blocks", brief="fullest block"
    ),
    "avoided": lambda _, __, ___: Supported(
        "S = −(most targets that one message speaks against)", "counted over all messages"
    ),
}


def _encoded(protocol: Coded, item: int) -> tuple[str, tuple[str, ...]]:
    code = cast("HadamardResponse", protocol)
    block, row = divmod(item, code.block_size - 1)
    size = count(code.block_size)
    agree = f"messages that agree: {count(code.agreeing)} columns with entry +1 in that row"
    return (
        f"block {block} of {count(code.blocks)}, row {row + 1} of a {size} × {size} matrix",
        (agree,),
    )


STORY: Final = Story(
    _formulas,
    reports(_encoded),
    table=("p", "q", "blocks", "block_size", "messages", *P_AND_Q[2:]),
    fields=("blocks", "block_size", "messages"),
    notes=coded_notes("ASZ"),
)
"""The formulas of the family, one report step by step, and its table."""
