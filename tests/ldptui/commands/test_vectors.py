"""`ldptui client vectors`, and the clients in other languages in docs/clients."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.commands import Captured, fail, succeed
from support.kinds import SENDING

from ldptui.commands import cli
from ldptui.terminal import exits

CLIENTS = Path(__file__).parents[3] / "docs" / "clients"


def vectors(capsys: Captured, *words: str) -> Any:
    return json.loads(succeed(capsys, "client", "vectors", *words))


def grr(known: Any, item: int, draws: list[Any]) -> int:
    """A client of GRR by hand, which takes the draws."""
    first, *more = draws
    if first["value"] < known["p"]:
        assert more == []
        return item
    (other,) = more
    assert (other["low"], other["high"]) == (0, known["d"] - 1)
    return int(other["value"] + (other["value"] >= item))


def oue(known: Any, item: int, draws: list[Any]) -> str:
    """A client of OUE by hand."""
    assert len(draws) == known["d"]
    bits = [each["value"] < known["p" if v == item else "q"] for v, each in enumerate(draws)]
    bits += [False] * (-len(bits) % 8)
    return bytes(
        sum(bit << (7 - at) for at, bit in enumerate(bits[start : start + 8]))
        for start in range(0, len(bits), 8)
    ).hex()


@pytest.mark.parametrize(("kind", "client"), [("grr", grr), ("oue", oue)])
def test_the_draws_make_the_reports(kind: str, client: Any, capsys: Captured) -> None:
    document = vectors(capsys, kind, "--items", "11", "--epsilon", "2", "--count", "40")
    assert document["known"]["p"] == pytest.approx(
        math.exp(2) / (math.exp(2) + 10) if kind == "grr" else 0.5
    )
    assert len(document["vectors"]) == 40
    assert {each["item"] for each in document["vectors"]} == set(range(11))
    made = [client(document["known"], v["item"], v["draws"]) for v in document["vectors"]]
    assert [{"report": report} for report in made] == [v["report"] for v in document["vectors"]]
    wrong = [client(document["known"], (v["item"] + 1) % 11, v["draws"]) == v["report"]["report"]
             for v in document["vectors"]]  # fmt: skip
    assert not all(wrong)


@pytest.mark.parametrize("kind", SENDING)
def test_every_protocol_has_vectors(kind: str, capsys: Captured) -> None:
    words = (kind, "--items", "5", "--count", "3")
    document = vectors(capsys, *words)
    assert document == vectors(capsys, *words, "--seed", "0")
    assert document["vectors"] != vectors(capsys, *words, "--seed", "1")["vectors"]
    for each in document["vectors"]:
        assert each["draws"]
        assert {draw["draw"] for draw in each["draws"]} <= set(document["draws"])


def test_wrong_words_are_refused(capsys: Captured) -> None:
    assert "--count must be in" in fail(capsys, 2, "client", "vectors", "grr", "--count", "0")
    assert "--seed must be at least 0" in fail(
        capsys, 2, "client", "vectors", "grr", "--seed", "-1"
    )
    assert "trusted curator" in fail(capsys, 2, "client", "vectors", "laplace")


@pytest.mark.long
@pytest.mark.parametrize(("language", "tool"), [("c", "cc"), ("javascript", "node")])
def test_the_clients_of_the_page_pass(
    language: str, tool: str, tmp_path: Path, capsys: Captured
) -> None:
    """And the same client with another ε is broken."""
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    path = CLIENTS / ("grr.c" if language == "c" else "grr.js")
    command = f"node {path}"
    if language == "c":
        command = str(tmp_path / "client")
        flags = ("-O2", "-Wall", "-Wextra", "-Werror")
        subprocess.run(["cc", *flags, str(path), "-o", command, "-lm"],
                       check=True)  # fmt: skip
    agreed = ("--as", "grr", "--epsilon", "1", "--items", "6", "--samples", "100000")
    for epsilon, code in (("1", exits.DONE), ("1.5", exits.ALARM)):
        words = ("--command", f"{command} {epsilon} 6", *agreed, "--format", "json")
        assert cli.main(["audit", *words]) == code
        (found,) = json.loads(capsys.readouterr().out)["clients"]
        assert found["is_broken"] is (code == exits.ALARM)
        assert found["conforms"] is (code == exits.DONE)
