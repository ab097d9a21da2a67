"""The lab's commands: what they print, their JSON, their exit codes and their errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import Captured, fail, succeed

from ldptui.commands import cli
from ldptui.terminal import exits

TABLE = "zip,age,disease\n1,2,heart\n1,2,heart\n1,3,flu\n1,3,cancer\n"

BROKEN = '''
class Kept:
    """Randomised response, right or with twice the budget."""

    def __init__(self, items, epsilon, factor=1):
        import math

        self.items, self.keep = items, 1 / (1 + items / math.expm1(factor * epsilon))

    def perturb(self, values, rng):
        import numpy as np

        return np.where(
            rng.random(values.size) < self.keep, values, rng.integers(0, self.items, values.size)
        )


def broken(items, epsilon):
    return Kept(items, epsilon, 2)


def nothing(items, epsilon):
    return None


def failing(items, epsilon):
    raise OSError("no such device")


number = 3
'''


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    Path("mine.py").write_text(BROKEN, encoding="utf-8")


def values(capsys: Captured, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(succeed(capsys, *arguments, "--format", "json"))
    return found


# check


@pytest.mark.parametrize(
    ("arguments", "epsilon"),
    [
        (("ue", "--keep", "0.8"), 1.0),
        (("lh", "--hash-range", "3"), 1.0),
        (("hst", "--coin", "user"), 1.0),
        (("ss", "--subset-size", "2"), 1.0),
        (("cms", "--buckets", "4", "--rows", "3"), 1.0),
        (("dbitflip", "--sampled", "1"), 0.5),
        (("l-grr", "--epsilon-infinity", "3", "--calibration", "tight"), 1.0),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_check_has_an_option_for_every_key(
    arguments: tuple[str, ...], epsilon: float, capsys: Captured
) -> None:
    found = values(capsys, "check", *arguments, "--epsilon", "1", "--items", "4")
    assert found["verdict"] == "proved"
    assert found["enumeration"]["epsilon"] == pytest.approx(epsilon)


def test_the_worst_pair_and_report_are_named(capsys: Captured) -> None:
    text = succeed(capsys, "check", "oue", "--epsilon", "1", "--items", "3")
    assert "Proved by enumeration" in text
    assert "worst pair: item 2 and item 0" in text
    assert "worst report: bits 001" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("laplace", "--epsilon", "1"),
        ("geometric", "--epsilon", "1", "--neighbours", "add-remove"),
        ("stability", "--epsilon", "1", "--delta", "1e-6"),
        ("exponential", "--epsilon", "1", "--counts", "5,4,0"),
        ("rappor", "--items", "6"),
        ("olh", "--epsilon", "1", "--items", "4000"),
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_mechanisms_are_proved(arguments: tuple[str, ...], capsys: Captured) -> None:
    found = values(capsys, "check", *arguments)
    assert found["verdict"] == "proved"
    assert "Proved" in succeed(capsys, "check", *arguments)
    if arguments[0] == "stability":
        assert found["loss"]["maximum"] is None  # unbounded
        assert found["loss"]["tail"][-1][1] == pytest.approx(2.5e-7)


def test_a_promise_that_is_too_good(capsys: Captured) -> None:
    assert cli.main(["check", "rappor", "--items", "6", "--epsilon", "1"]) == exits.ALARM
    assert "BROKEN: ε = 1 is not kept" in capsys.readouterr().out


def test_a_plug_in_is_audited(capsys: Captured) -> None:
    options = ("--epsilon", "1", "--items", "6", "--samples", "40000")
    found = values(capsys, "check", "mine.py:Kept", *options)
    assert found["verdict"] == "not refuted"
    assert 0.7 < found["audit"]["lower"] < 1
    assert cli.main(["check", "mine.py:broken", *options]) == exits.ALARM
    text = capsys.readouterr().out
    assert "BROKEN" in text
    assert "worst event: the report is" in text


HIDING = """
class Hiding:
    '''Local hashing whose seed gives the item away: by its last digit, or by a parity.'''

    def __init__(self, parity):
        self.parity = parity

    def perturb(self, values, rng):
        import numpy as np

        mask = rng.integers(0, 2, values.size) if self.parity else 0
        seeds = rng.integers(0, 2**20, values.size) * 4 + 2 * mask + ((values & 1) ^ mask)
        return np.stack([seeds, rng.integers(0, 4, values.size)], axis=1)


def digit(items, epsilon):
    return Hiding(False)


def parity(items, epsilon):
    return Hiding(True)
"""


def test_an_audit_names_the_leaks_that_it_cannot_see(capsys: Captured) -> None:
    """An item in one bit of a seed is found; one in two together is not, which stands there."""
    Path("hiding.py").write_text(HIDING, encoding="utf-8")
    options = ("--epsilon", "1", "--items", "8", "--samples", "20000")
    assert cli.main(["check", "hiding.py:digit", *options]) == exits.ALARM
    assert "BROKEN" in capsys.readouterr().out
    text = succeed(capsys, "check", "hiding.py:parity", *options)
    verdict = text.index("Not refuted")
    assert "an item that only several of them together show" in text[verdict:]
    assert "several of them" not in succeed(
        capsys, "check", "grr", "--epsilon", "1", "--items", "4"
    )


@pytest.mark.parametrize("neighbours", ["change-one", "add-remove"])
def test_a_curator_in_python_is_audited(neighbours: str, capsys: Captured) -> None:
    Path("curator.py").write_text(
        "class Noisy:\n"
        "    def __init__(self, scale): self.scale = scale\n"
        "    def sample(self, histograms, rng):\n"
        "        return histograms + rng.laplace(0, self.scale, histograms.shape)\n"
        "def kept(items, epsilon): return Noisy(2 / epsilon)\n"
        "def broken(items, epsilon): return Noisy(0.4 / epsilon)\n",
        "utf-8",
    )
    options = ("--epsilon", "1", "--items", "4", "--neighbours", neighbours)
    samples = ("--samples", "40000")
    found = values(capsys, "check", "curator.py:kept", *options, *samples)
    assert found["verdict"] == "not refuted"
    assert found["audit"]["lower"] < 1
    assert cli.main(["check", "curator.py:broken", *options, *samples]) == exits.ALARM
    assert "BROKEN" in capsys.readouterr().out


# ledger


def test_ledger(capsys: Captured) -> None:
    """Each release is that of several people, and then they are composed."""
    arguments = ("ledger", "daily=0.1x30", "0.5,1e-8", "page=0", "--people", "2")
    found = values(capsys, *arguments)
    assert [entry["name"] for entry in found["entries"]] == ["daily", "ε = 0.5", "page"]
    assert found["spent"]["sequential"]["epsilon"] == pytest.approx(7)
    assert "advanced" not in found["spent"]  # it is above the sum
    text = succeed(capsys, *arguments)
    for words in ("30 × ε = 0.1", "post-processing is free", "KOV th. 3.3", "2 people together",
                  "every total holds: name the least\n"):  # fmt: skip
        assert words in text
    assert "1 000 000 × ε = 0.1" in succeed(capsys, "ledger", "0.1x1e6")
    assert "name the least, here the sum\n" in succeed(capsys, "ledger", "0.5", "0.5")
    late = values(capsys, "ledger", "0.5,1e-3")
    assert set(late["spent"]) == {"sequential"}
    void = ("ledger", "10,1e-6", "--people", "4")
    assert values(capsys, *void)["spent"] == {"sequential": {"epsilon": 40.0, "delta": 1.0}}
    text = succeed(capsys, *void)
    assert "δ of 4 people together is 1 in a release, which promises nothing" in text


def test_memoised_rounds_beside_naive_ones(capsys: Captured) -> None:
    found = values(capsys, "ledger", "--rappor", "0.5,0.5,0.75,2", "--rounds", "10")["rappor"]
    assert found["one"] == pytest.approx(1.0743, abs=1e-4)
    assert found["naive"] == pytest.approx(10 * found["one"])
    assert found["one"] < found["memoised"] < found["limit"] < found["naive"]
    assert "memoised" in succeed(capsys, "ledger", "--rappor", "0.5,0.5,0.75,2", "--rounds", "10")
    forever = values(capsys, "ledger", "--rappor", "0,0.5,0.75,2")["rappor"]
    assert forever["limit"] is None


# Bad input.


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("accuracy",), "one of the arguments --epsilon --accuracy is required"),
        (("accuracy", "--accuracy", "1"), "--accuracy must be greater than 1 for the stability"),
        (("disclose", "table.csv", "--relation", "zip"), "--relation must be two columns"),
        (("disclose", "table.csv", "--relation", "zip,age", "--quasi", "zip"), "cannot be given"),
        (("check", "grr", "--epsilon", "30", "--items", "8"), "--epsilon must be in (0, 20]"),
        (("check", "oue", "--hash-range", "3"), "--hash-range is an option of olh, lh or loloha"),
        (("check", "stability", "--epsilon", "1"), "--delta must be greater than 0"),
        (("check", "grr", "--epsilon", "1", "--items", "4", "--hash-range", "3"), "of olh"),
        (("check", "oue", "--epsilon", "1", "--items", "4", "--keep", "0.3"), "of ue, not of oue"),
        (("check", "hst", "--epsilon", "1", "--items", "4", "--coin", "x"), '--coin must be "pub'),
        (("check", "hcms", "--epsilon", "1", "--items", "4", "--buckets", "5"), "a power of two"),
        (("check", "exponential", "--epsilon", "1", "--counts", "1,x"), "--counts must be"),
        (("check", "exponential", "--epsilon", "1"), "--counts is required"),
        (("check", "rappor", "--items", "4", "--noise", "1,2"), "--noise must be 3 numbers"),
        (("check", "rappor", "--items", "4", "--noise", "1,0.5,0.75"), "--noise must be less"),
        (
            ("check", "grr", "--epsilon", "1", "--items", "4", "--audit", "--samples", "9"),
            "in [1000, 10^8]",
        ),
        (("check", "mine.py:numbers", "--epsilon", "1", "--items", "4"), "mine.py has no numbers"),
        (("check", "mine.py:nothing", "--epsilon", "1", "--items", "4"), "must return an object"),
        (("ledger", "a=-1"), "ENTRY a=-1: epsilon must be at least 0"),
        (("ledger", "--rappor", "0.5,0.5"), "--rappor must be 4 numbers"),
        (("ledger", "--rappor", "0.5,0.9,0.75,2"), "--rappor q must exceed p"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_sentence(
    arguments: tuple[str, ...], words: str, capsys: Captured
) -> None:
    assert words in fail(capsys, exits.USAGE, *arguments)


def test_files_and_plug_ins_that_fail(capsys: Captured) -> None:
    assert "cannot be read" in fail(capsys, exits.NO_FILE, "disclose", "no.csv", "--quasi", "a")
    options = ("--epsilon", "1", "--items", "4")
    assert "no.py cannot be read" in fail(capsys, exits.NO_FILE, "check", "no.py:Kept", *options)
    line = fail(capsys, exits.FAILED, "check", "mine.py:failing", *options)
    assert line.startswith("protocol 'failing' raised OSError: no such device (mine.py, line ")
    line = fail(capsys, exits.FAILED, "check", "mine.py:number", *options)
    assert "must be a function or a class that takes items and epsilon, got int" in line


ROUNDS = """
format = 1
[population]
kind = "counts"
counts = [600, 300]
[protocol]
kind = "{kind}"
{noise}
[campaign]
rounds = 10
"""


@pytest.mark.parametrize(("kind", "delta"), [("oue", 0.0), ("laplace", 0.0), ("stability", 1e-6)])
def test_the_rounds_of_a_campaign_are_entries(kind: str, delta: float, capsys: Captured) -> None:
    Path("rounds.toml").write_text(ROUNDS.format(kind=kind, noise="epsilon = 0.2"), "utf-8")
    found = values(capsys, "ledger", "other=1", "--scenario", "rounds.toml", "--delta", "1e-3")
    other, own = found["entries"]
    assert other["name"] == "other"
    assert (own["name"], own["times"]) == (kind, 10)
    assert (own["epsilon"], own["delta"]) == pytest.approx((0.2, delta))
    assert found["spent"]["sequential"]["epsilon"] == pytest.approx(1 + 10 * 0.2)
    assert found["rappor"] is None


def test_the_rounds_of_rappor_are_memoised(capsys: Captured) -> None:
    noise = "f = 0.5\nhashes = 2\nbits = 16\ncohorts = 4"
    Path("rounds.toml").write_text(ROUNDS.format(kind="rappor", noise=noise), "utf-8")
    found = values(capsys, "ledger", "--scenario", "rounds.toml")
    assert found["entries"] == []
    rounds = found["rappor"]
    assert rounds["rounds"] == 10
    assert rounds["one"] < rounds["memoised"] < rounds["limit"] < rounds["naive"]
    assert rounds["naive"] == pytest.approx(10 * rounds["one"])
    line = fail(capsys, exits.USAGE, "ledger", "--scenario", "rounds.toml", "--rappor", "1,1,1,1")
    assert "--scenario cannot be given with --rappor" in line
