"""The tutorial: every number in its text is one of the closed forms that are computed here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache

import pytest
from support.pages import blocks, page, unfenced

from ldptui import core, scenarios
from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.questions.mechanisms import has

TEXT = page("docs/tutorial.md")


@cache
def cell(**settings: object) -> Cell:
    """The page's scenario with other keys; a name has __ for its point."""
    scenario = core.parse(*blocks(TEXT, "toml"))
    for key, value in settings.items():
        scenario = scenario.with_value(key.replace("__", "."), value)
    (bound,) = core.compile(scenario).cells
    return bound


def gain(attack: str, protocol: str, **more: object) -> float:
    bound = cell(attack__kind=attack, protocol__kind=protocol, **more)
    supported = theory.fake_support(bound)
    assert supported is not None
    return theory.cell_gain(bound, supported)


@cache
def known() -> tuple[float, ...]:
    return tuple(float(fact) for fact in facts())


def facts() -> Iterator[float]:
    """The values that the text may name, rounded to as many digits as it likes."""
    clean = cell(attack__kind="none")
    oue = clean.protocol
    yield from (1024, 1, 12, 5, 0.05, 20, 0.5, 4, 0.1, 2021, 0, 2, 3, 6)  # its settings
    yield from (oue.p, oue.q, oue.p / oue.q, (1 - oue.q) / (1 - oue.p), math.e)
    yield (oue.p / oue.q) * (1 - oue.q) / (1 - oue.p)
    yield cell().population.frequencies[12]
    deviation = math.sqrt(theory.expected_metrics(clean)["mse_clean"])
    yield from (deviation, 1 / deviation)
    yield from (gain("ria", "oue"), gain("mga", "oue"), gain("mga", "oue") / gain("ria", "oue"))
    yield (1 - oue.q) / (oue.p - oue.q)
    grr = cell(protocol__kind="grr").protocol
    yield from (grr.p, grr.q, (1 - grr.q) / (grr.p - grr.q))
    yield from (gain("mga", "grr"), 100 * (gain("mga", "grr") + cell().population.frequencies[12]))
    yield from (
        gain("mga", "grr", protocol__epsilon=0.5),
        gain("mga", "grr", protocol__epsilon=4.0),
    )
    yield gain("mga", "grr", attack__share=0.00005)
    figure = core.load(scenarios.path("cao-gain-beta"))
    hashed = figure.document["protocol"]["hash_range"]
    for attack in figure.sweep["attack.kind"]:
        for protocol in figure.sweep["protocol.kind"]:
            more = {"protocol__hash_range": hashed} if has(protocol, "hash_range") else {}
            yield gain(attack, protocol, attack__share=0.1, **more)


def strangers(text: str) -> set[str]:
    """The numbers in a text that round to none of the facts."""
    words = re.sub(r"\]\([^)]*\)|`[^`]*`", "", unfenced(text)).replace("−", "-")
    return {
        number
        for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", words)
        if not any(f"{fact:.{len(number.partition('.')[2])}f}" == number for fact in known())
    }


def test_every_number_of_the_text_is_computed() -> None:
    assert strangers(TEXT) == set()


@pytest.mark.parametrize(("right", "wrong"), [("0.1577", "0.1578"), ("29.82", "29.92")])
def test_a_wrong_number_would_be_found(right: str, wrong: str) -> None:
    assert strangers(TEXT.replace(right, wrong)) == {wrong}
