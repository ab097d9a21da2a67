"""`ldptui audit`: clients of every sort, their verdicts as JSON and as a table, and exit codes."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomlkit
from support.commands import Captured, fail, succeed

import ldptui
from ldptui.api.audited import question
from ldptui.api.audited.told import unproved
from ldptui.commands import cli
from ldptui.explain.client import client_of
from ldptui.lab.questions.reports import AuditOptions
from ldptui.terminal import exits

AGREED = ("--epsilon", "1", "--items", "6")
SMALL = (*AGREED, "--samples", "20000")

GRR = """\
import random
import sys
import tomllib

P = {p}
for line in sys.stdin:
    item = int(line)
    other = random.randrange(5)
    print(item if random.random() < P else other + (other >= item))
"""


def client(folder: Path, p: float, code: str = GRR) -> str:
    """A command that runs a client of GRR for six items."""
    path = folder / f"client{p}.py"
    path.write_text(code.replace("{p}", str(p)))
    return shlex.join([sys.executable, "-S", str(path)])


def audited(capsys: Captured, code: int, *words: str) -> Any:
    assert cli.main(["audit", *words, "--format", "json"]) == code
    output = capsys.readouterr()
    document = json.loads(output.out)
    for each in document["clients"]:
        assert each["verdict"] in ("broken", "not-refuted", "proved")
        assert all(isinstance(text, str) for text in each["findings"])
        assert isinstance(each["epsilon_low"], float)
    assert any(each["verdict"] == "broken" for each in document["clients"]) == (code == 1)
    return document["clients"]


def test_protocols_of_ours_are_proved(capsys: Captured) -> None:
    found = audited(capsys, exits.DONE, "grr", "OUE", *SMALL, "--seed", "3")
    assert [each["client"] for each in found] == ["grr", "OUE"]
    for each in found:
        assert each["verdict"] == "proved"
        assert each["conforms"] is True
        assert each["samples"] == 20_000
        assert each["confidence"] == 0.999
        assert len(each["bias"]["each"]) == 6
        assert max(map(abs, each["bias"]["each"])) < 0.1
        assert 0.3 < each["epsilon_low"] <= 1
    again = audited(capsys, exits.DONE, "grr", *SMALL, "--seed", "3")
    assert again[0]["epsilon_low"] == found[0]["epsilon_low"]


def test_a_command_is_audited_with_a_format_and_without(capsys: Captured, tmp_path: Path) -> None:
    kept, spent = client(tmp_path, 0.3522), client(tmp_path, 0.6)
    words = ("--command", kept, "--command", spent)
    for more, conforms in ((("--as", "grr"), [True, False]), (("--opaque",), [None, None])):
        found = audited(capsys, exits.FAILED, *words, *more, *SMALL)
        assert [each["client"] for each in found] == [kept, spent]
        assert [each["verdict"] for each in found] == ["not-refuted", "broken"]
        assert [each["conforms"] for each in found] == conforms
        assert found[1]["epsilon_low"] > 1
        assert found[1]["samples"] < 20_000
        assert any("ε is at least" in text for text in found[1]["findings"])


def test_the_table_has_the_power_first(capsys: Captured, tmp_path: Path) -> None:
    words = ("--command", client(tmp_path, 0.6), "--as", "grr", *SMALL)
    assert cli.main(["audit", *words]) == exits.FAILED
    shown = capsys.readouterr().out
    assert shown.index("refutes ε ≥") < shown.index("verdict")
    assert "BROKEN: ε is at least" in shown
    assert "ε shown, beside the promise (┃)" in shown


def test_pairs_of_a_file_are_audited(capsys: Captured, tmp_path: Path) -> None:
    grr = ldptui.protocol("grr", 6, epsilon=1.0)
    olh: Any = ldptui.protocol("lh", 6, epsilon=3.0, hash_range=4)
    items, rng = np.arange(20_000) % 6, np.random.default_rng(0)
    path = tmp_path / "pairs.csv"
    rows = zip(items, grr.perturb(items, rng), strict=True)
    path.write_text("item,report\n" + "".join(f"{v},{r}\n" for v, r in rows))
    for more in ((), ("--as", "grr")):
        found = audited(capsys, exits.DONE, "--pairs", str(path), *more, *AGREED)
        assert found[0]["verdict"] == "not-refuted"
        assert found[0]["samples"] == 20_000
    reports = olh.perturb(items, rng)
    path.write_text("seed,item,value\n" + "".join(
        f"{r['seed']},{v},{r['value']}\n" for v, r in zip(items, reports, strict=True)
    ))  # fmt: skip
    found = audited(capsys, exits.FAILED, "--pairs", str(path), "--as", "olh", *AGREED)
    assert found[0]["conforms"] is False


def test_python_clients_are_audited(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import numpy as np\n"
        "class Client:\n"
        "    def __init__(self, items, epsilon):\n"
        "        self.d, self.p = items, np.exp(epsilon) / (np.exp(epsilon) + items - 1)\n"
        "    def perturb(self, values, rng):\n"
        "        other = (values + rng.integers(1, self.d, values.size)) % self.d\n"
        "        return np.where(rng.random(values.size) < self.p, values, other)\n"
    )
    found = audited(capsys, exits.DONE, f"{path}:Client", "--as", "grr", *SMALL)
    assert found[0]["conforms"] is True


def test_the_page_of_a_protocol_has_a_client_that_passes(capsys: Captured, tmp_path: Path) -> None:
    """JSON lines, and a header in CSV."""
    protocol = ldptui.protocol("oue", 6, epsilon=1.0)
    told = client_of(protocol)
    assert told is not None
    known = tmp_path / "known.json"
    known.write_text(json.dumps(told.known))
    (tmp_path / "client.py").write_text(told.code)
    command = shlex.join([sys.executable, "-S", str(tmp_path / "client.py"), str(known)])
    found = audited(capsys, exits.DONE, "--command", command, "--as", "oue", *AGREED,
                    "--samples", "9000")  # fmt: skip
    assert found[0]["conforms"] is True


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("grr", "--items", "4"), "--epsilon is required"),
        (("grr", "--epsilon", "1"), "--items is required"),
        (AGREED, "CLIENT must be named"),
        (("grr", *AGREED, "--samples", "10"), "--samples must be at least 1000, got 10"),
        (("grr", "--epsilon", "nan", "--items", "4"), "--epsilon must be in (0, 20]"),
        (("grr", "--epsilon", "1", "--items", "1"), "--items must be in [2, 2^16], got 1"),
        (("grr", "--epsilon", "1", "--items", "9999999"), "--items must be in [2, 2^16]"),
        (("nothing", *AGREED), "CLIENT must be one of"),
        (
            ("--command", "cat", "--as", "gr", "--epsilon", "1", "--items", "4"),
            "--as must be one of",
        ),
        (("laplace", *AGREED), "trusted curator"),
        (("grr", "--as", "oue", *AGREED), "--as must be a protocol whose reports have the form"),
        (("--command", "no-such", *AGREED), "must be a program that can be started"),
        (("--command", "'", *AGREED), "--command must be a program and its arguments"),
        (("--command", "cat", "--opaque", "--as", "grr", *AGREED), "--opaque goes without --as"),
        (("grr", *AGREED, "--confidence", "1"), "--confidence must be in (0, 1)"),
        (("grr", *AGREED, "--seed", "-1"), "--seed must be at least 0, got -1"),
        (("grr", *AGREED, "--refute", "0.5"), "--refute must be more than --epsilon"),
        (("grr", *AGREED, "--batch", "0"), "--batch must be at least 1"),
        (("grr", *AGREED, "--patience", "nan"), "--patience must be in (0, 86 400] seconds"),
        (("grr", *AGREED, "--set", "hash_range=3"), "hash_range is not a known key"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], sentence: str, capsys: Captured) -> None:
    line = fail(capsys, exits.USAGE, "audit", *words, "--format", "json")
    assert sentence in line


def test_pairs_without_their_columns_are_told(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("user,report\n1,2\n")
    line = fail(capsys, exits.USAGE, "audit", "--pairs", str(path), *AGREED, "--format", "json")
    assert line.startswith("--pairs must be a table with columns item and report, got")


def test_clients_that_do_not_work_are_told(capsys: Captured, tmp_path: Path) -> None:
    for command, words in (
        ("cat /dev/zero", "wrote a line of more than 1 MiB"),
        ("yes", "report 1: report must be a whole number"),
        ("true", "ended with exit code 0 after 0 of"),
    ):
        line = fail(capsys, exits.FAILED, "audit", "--command", command, "--as", "grr", *SMALL,
                    "--format", "json")  # fmt: skip
        assert words in line
    assert cli.main(["audit", "grr", "--command", "false", "--as", "grr", *SMALL]) == exits.FAILED
    output = capsys.readouterr()
    assert "grr" in output.out
    assert "the client false ended with exit code 1" in output.err
    path = tmp_path / "pairs.csv"
    path.write_text("item,report\n7,1\n")
    line = fail(capsys, exits.USAGE, "audit", "--pairs", str(path), *AGREED, "--format", "json")
    assert "pairs.csv line 2: item must be a whole number in [0, 6)" in line


def test_a_list_of_clients_is_one_table(capsys: Captured) -> None:
    shown = succeed(capsys, "audit", "grr", "sue", *SMALL)
    assert "\ngrr:\n" in shown
    assert "\nsue:\n" in shown


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of their own, in whose state the key of certificates is."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.mark.long
def test_a_certificate_holds_when_it_is_run_again(capsys: Captured, home: Path) -> None:
    path, officer = home / "cert.toml", home / "page.md"
    words = ("--command", client(home, 0.6), "--command", client(home, 0.3522), "--as", "grr")
    written = ("--certificate", str(path), "--page", str(officer))
    audited(capsys, exits.FAILED, *words, *SMALL, *written, "--quiet")
    made = tomllib.loads(path.read_text())
    assert [each["verdict"] for each in made["client"]] == ["broken", "not-refuted"]
    assert made["client"][0]["error"] == pytest.approx(0.001)
    assert len(made["client"][0]["digest"]) == 64
    assert any("side channels" in line for line in made["not_proved"])
    assert "| broken |" in officer.read_text()
    assert "## What this does not prove" in officer.read_text()

    def again(code: int, *more: str) -> str:
        assert cli.main(["audit", "--verify", str(path), "--format", "json", *more]) == code
        return capsys.readouterr().err

    assert "cert.toml holds" in again(exits.FAILED)  # one is broken, as it was
    path.write_text(path.read_text().replace('"not-refuted"', '"broken"'))
    assert "is not-refuted, and broken in the certificate" in again(exits.FAILED)
    (home / "client0.3522.py").write_text(GRR.replace("{p}", "0.35220"))
    assert "is another program" in again(exits.FAILED)
    # Somebody else's certificate runs nothing that the command line does not name.
    (home / "state" / "ldptui" / "audit.key").unlink()
    assert "was written elsewhere, or changed, and names programs" in again(exits.USAGE)
    assert "is another program" in again(exits.FAILED, *words[:4])


def test_a_certificate_of_ours_is_verified_with_exit_code_0(capsys: Captured, home: Path) -> None:
    path = home / "cert.toml"
    words = ("grr", *AGREED, "--samples", "9000", "--format", "json")
    succeed(capsys, "audit", *words, "--certificate", str(path))
    succeed(capsys, "audit", "--verify", str(path), "--format", "json")
    today = datetime.now(UTC).date()
    assert (
        str(today)
        >= tomllib.loads(path.read_text("utf-8"))["date"]
        >= str(today - timedelta(days=1))
    )
    assert "is there already" in fail(capsys, 2, "audit", *words, "--certificate", str(path))
    for old, new, rule in (
        ("format = 1", "format = 2", "format must be 1, got 2"),
        ("samples = 9000", 'samples = "x"', "asked.samples is no option of an audit"),
        ("[asked]", "[asked", "is not TOML"),
        ("seed = 0", "seed = 0\nforce = true", "asked.force is no option of an audit"),
    ):
        other = home / "other.toml"
        other.write_text(path.read_text().replace(old, new, 1))
        assert rule in fail(capsys, 2, "audit", "--verify", str(other), "--format", "json")
    assert "cannot be read" in fail(capsys, 3, "audit", "--verify", str(home / "none.toml"))
    made = tomllib.loads(path.read_text("utf-8"))["client"][0]
    for key, value, words in (
        ("epsilon_low", made["epsilon_low"] - 0.1, "and its own counts prove"),
        ("epsilon_low", made["epsilon_low"] + 0.1, "and its own counts prove"),
        ("error", 1e-9, "has the error 1e-09, of a confidence of 0.999"),
        ("average_low", 3.0, "has average_low 3, of which its guesses prove"),
        ("hits", [made["of"][0], 0], "and its own counts prove"),
        ("hits_error", 1.0, "has the hits_error 1, more than"),
        ("hits", ["x", 0], "has a value that is none of an audit"),
    ):
        document = tomllib.loads(path.read_text("utf-8"))
        document["client"][0][key] = value
        other.write_text(tomlkit.dumps(document), "utf-8")
        line = fail(capsys, 2, "audit", "--verify", str(other), "--format", "json")
        assert words in line
        assert line.endswith(": it was changed")
    # Certificates of earlier versions have no counts, and still a promise.
    document = tomllib.loads(path.read_text("utf-8"))
    for key in ("hits", "of", "hits_error", "guesses"):
        del document["client"][0][key]
    other.write_text(tomlkit.dumps(document), "utf-8")
    succeed(capsys, "audit", "--verify", str(other), "--format", "json")
    document["client"][0] |= {"epsilon_low": 1.5, "verdict": "not-refuted"}
    other.write_text(tomlkit.dumps(document), "utf-8")
    line = fail(capsys, 2, "audit", "--verify", str(other), "--format", "json")
    assert "is not-refuted, and its epsilon_low 1.5 is above the promise" in line


def test_what_is_wrong_is_said_before_the_power(tmp_path: Path, capsys: Captured) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("item,report\n0,1\n", "utf-8")
    for words, sentence in (
        (("oue", "--as", "ou"), 'got "ou" (did you mean oue?)'),
        (("--pairs", str(pairs), "--as", "she"), "report must be 4 numbers"),
        (("--command", "./nobody --here"), "--command must be a program that can be started"),
    ):
        assert sentence in fail(capsys, 2, "audit", *words, "--epsilon", "1", "--items", "4")


@pytest.mark.parametrize(
    ("kind", "ever"),
    [("loloha", "2"), ("l-sue", "2"), ("dbitflip-pm", "1"), ("oue", None), ("dbitflip", None)],
)  # fmt: skip
def test_what_reports_of_one_user_cost_is_said_of_its_protocol(kind: str, ever: str | None) -> None:
    """A kept answer costs ε∞ once; other reports add up."""
    keys: dict[str, Any] = {"sampled": 2} if kind.startswith("dbitflip") else {}
    asked = question(AuditOptions(clients=(kind,), epsilon=1.0, items=8), keys)
    *_, last = unproved(asked)
    if ever is None:
        assert last == "several reports of one user, whose ε add up"
    else:
        assert last.startswith(f"several reports of one user of {kind}: while the client keeps")
        assert f"those of one item cost ε∞ = {ever}, however many" in last


def test_each_protocol_of_an_audit_has_its_sentence_once() -> None:
    asked = question(AuditOptions(clients=("oue", "loloha") * 2, epsilon=1.0, items=8), {})
    assert [line.partition(":")[0] for line in unproved(asked) if "several" in line] == [
        "several reports of one user, whose ε add up",
        "several reports of one user of loloha",
    ]
