"""The command theory: the closed forms of every kind, as a table and as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

import pytest
from support.commands import Captured, fail, succeed
from support.kinds import CAO_ATTACKS

from ldptui.commands import cli
from ldptui.core.protocols import CENTRAL, KINDS, PROTOCOLS
from ldptui.terminal import exits


def forms(capsys: Captured, *arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(succeed(capsys, "theory", *arguments, "--format", "json"))
    return document


@pytest.mark.parametrize("kind", CENTRAL)
def test_theory_of_a_curator(kind: str, capsys: Captured) -> None:
    arguments = ("theory", kind, "--epsilon", "1", "--items", "100", "--users", "10000")
    attacked = ("--share", "0.05", "--targets", "4", "--target-frequency", "0.02")
    found = json.loads(succeed(capsys, *arguments, *attacked, "--format", "json"))
    assert not {"p", "q", "hash_range", "variance_per_user"} & {*found}
    assert (found["scale"], found["sensitivity"], found["neighbours"]) == (2, 2, "change-one")
    rho = math.exp(-0.5)
    variance = 2 * rho / (1 - rho) ** 2 if kind == "geometric" else 8
    assert found["frequency_std"] == pytest.approx(math.sqrt(variance) / 10_000)
    if kind == "stability":
        assert "gain" not in found
        assert found["threshold"] == pytest.approx(2 * math.log(2e6) + 1)
    else:
        gains = {"rpa": 0.05 * (0.04 - 0.02), "ria": 0.05 * 0.98, "mga": 0.05 * 0.98}
        assert found["gain"] == pytest.approx(gains)
        assert found["gain_std"]["mga"] == pytest.approx(0.05 * math.sqrt(4 * variance) / 1e4, 1e-3)
    near = json.loads(succeed(capsys, *arguments, "--neighbours", "add-remove", "--format", "json"))
    assert near["scale"] == 1
    written = succeed(capsys, *arguments, *attacked)
    assert f"{kind.upper()}, ε = 1" in written
    assert "no local protocol" in written


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stability", "--delta", "0"), "--delta must be greater than 0 for the stability"),
        (("laplace", "--delta", "0.1"), "--delta is an option of stability, not of laplace"),
        (
            ("oue", "--neighbours", "add-remove"),
            "--neighbours is an option of laplace, geometric or stability, not of",
        ),
    ],
)
def test_options_of_a_curator(arguments: tuple[str, ...], words: str, capsys: Captured) -> None:
    line = fail(capsys, exits.USAGE, "theory", *arguments, "--epsilon", "1", "--items", "10")
    assert words in line


def test_theory_json_has_the_keys_of_the_contract(capsys: Captured) -> None:
    full = forms(
        capsys,
        *("oue", "--epsilon", "1", "--items", "1024", "--users", "100000", "--share", "0.05"),
        *("--targets", "1", "--target-frequency", "0.01"),
    )
    assert list(full) == [
        *("p", "q", "recommended", "variance_per_user", "gain_factor", "report_bits"),
        *("frequency_std", "gain", "gain_std", "bound"),
    ]
    assert full["p"] == 0.5
    assert full["variance_per_user"] == pytest.approx(3.6827, abs=1e-4)
    assert full["frequency_std"] == pytest.approx((3.6827 / 100_000) ** 0.5, rel=1e-4)
    assert full["gain"] == {
        "rpa": pytest.approx(0.0495),
        "ria": pytest.approx(0.0495),
        "mga": pytest.approx(0.1577, abs=1e-4),
    }
    assert set(full["gain_std"]) == set(CAO_ATTACKS)
    assert full["recommended"] == "oue"


def test_theory_has_an_option_for_every_key_of_a_protocol() -> None:
    options = {action.dest for action in cli.parser_of("theory")._actions}
    keys = {key.name for spec in KINDS.values() for key in fields(spec)} - {"kind"}
    assert keys <= options, "a key of a protocol has no row in ldptui/catalogue/keys.toml"


def test_what_needs_an_option_that_is_not_given_is_left_out(capsys: Captured) -> None:
    bare = forms(capsys, "grr", "--epsilon", "1", "--items", "8")
    assert bare["recommended"] == "grr"
    assert not {"frequency_std", "gain", "gain_std"} & {*bare}
    options = ("--share", "0.05", "--targets", "2", "--target-frequency", "0.1")
    without_users = forms(capsys, "grr", "--epsilon", "1", "--items", "8", *options)
    assert {*without_users["gain"]} == {*CAO_ATTACKS}
    assert "gain_std" not in without_users
    for missing in range(0, 6, 2):
        fewer = options[:missing] + options[missing + 2 :]
        found = forms(capsys, "grr", "--epsilon", "1", "--items", "8", "--users", "9", *fewer)
        assert not {"gain", "gain_std"} & {*found}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_theory_table_names_each_quantity_its_formula_and_its_source(
    protocol: str, capsys: Captured
) -> None:
    given = ("--share", "0.05", "--targets", "10", "--target-frequency", "0.01", "--users", "9999")
    text = succeed(capsys, "theory", protocol, "--epsilon", "1", "--items", "64", *given)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    for word in ("variance per user", "frequency std", "gain of MGA", "CJG eq. 7", "USENIX"):
        assert word in text


def test_the_theory_table_says_which_option_would_tell_more(capsys: Captured) -> None:
    assert "--users" in succeed(capsys, "theory", "grr", "--epsilon", "1", "--items", "8")


@pytest.mark.parametrize("kind", ["the", "grr"])
def test_an_epsilon_of_rounding_is_refused_by_its_own_name(kind: str, capsys: Captured) -> None:
    message = fail(capsys, exits.USAGE, "theory", kind, "--items", "10", "--epsilon", "3e-16")
    assert message.strip() == (
        "--epsilon must be large enough (at least 1e-09) for p to exceed q, got 3e-16"
    )


def test_the_shift_of_a_mean(capsys: Captured) -> None:
    """β (c − μ) by crafted reports; unseen only while the mean of all reports is in the range."""
    keys = ("--epsilon", "1", "--mean=-0.43", "--users", "1000000", "--format", "json")
    found = json.loads(succeed(capsys, "theory", "sr", *keys, "--share", "0.01"))
    c = (math.e + 1) / (math.e - 1)
    assert found["gain_factor"] == pytest.approx(c)
    assert found["variance_worst"] == pytest.approx(c**2)
    assert found["shift"] == found["undetectable_shift"] == pytest.approx(0.01 * (c + 0.43))
    found = json.loads(succeed(capsys, "theory", "sr", *keys, "--share", "0.9"))
    assert found["shift"] == pytest.approx(0.9 * (c + 0.43))
    assert found["undetectable_shift"] == pytest.approx(1.43)
    of_items = "theory", "grr", "--epsilon", "1", "--items", "5"
    assert "--mean is an option of sr, pm, sw, hm or laplace-ldp, not of grr" in fail(
        capsys, 2, *of_items, "--mean", "0.1"
    )
    assert "--mean must be in [-1, 1], got 2" in fail(capsys, 2, "theory", "sr", "--mean", "2")
