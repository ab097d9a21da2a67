"""`ldptui client spec`: the page of each protocol; its client reads vectors, and has its law."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget
from support.audits import audited
from support.commands import Captured, fail, succeed
from support.kinds import SENDING

import ldptui
from ldptui.api.vectors import rows_of
from ldptui.catalogue import kind_words
from ldptui.core.kernels.hashing import xxhash32
from ldptui.core.reports import report_files
from ldptui.explain.client_pages import ClientProgram, client_of, client_rows
from ldptui.questions.choices import numbers

SMALL: dict[str, dict[str, Any]] = {
    "cms": {"rows": 3, "buckets": 4},
    "hcms": {"rows": 3, "buckets": 4},
    "rappor": {"bits": 6, "cohorts": 2},
}
"""Parameters with few reports; of other kinds d = 4 makes them few."""

ITEMS, USERS = 4, 6000

CLIENTS = Path(__file__).parents[3] / "docs" / "clients"


def bound(kind: str, epsilon: float = 1.0, items: int = ITEMS) -> Any:
    return ldptui.protocol(kind, items, epsilon=epsilon, **SMALL.get(kind, {}))


def program(client: ClientProgram | None, seed: int = 0) -> ModuleType:
    """A client, its random numbers repeatable."""
    assert client is not None
    module = client.program()
    module.RNG = random.Random(seed)  # type: ignore[attr-defined]
    return module


def asked(kind: str) -> tuple[str, ...]:
    return tuple(word for key, value in SMALL.get(kind, {}).items()
                 for word in ("--set", f"{key}={value}"))  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", SENDING)
def test_the_page_has_all_that_a_client_needs(kind: str, capsys: Captured) -> None:
    page = succeed(capsys, "client", "spec", kind, *asked(kind))
    client = client_of(bound(kind))
    assert client is not None
    for heading in ("Parameters", "What a report supports", "What a client does", "Test vectors",
                    "Random numbers", "The report", "A client in Python"):  # fmt: skip
        assert f"\n## {heading}\n" in page
    for name in client.known:
        assert f"| `{name}` |" in page
        assert name in client.code or name == "d"
    assert client.code in page
    assert page.count("\nε = ") >= 2
    assert ("spends ε again" in page) != any(step.startswith("Once") for step in client.steps)
    words = kind_words("protocol", kind)
    assert all(f"\n    {line}\n" in page for line in words.formula.splitlines())
    server = next(line for line in page.splitlines() if "ldptui estimate FILE" in line)
    assert ("--low 0 --high 15" in server) == (kind in numbers()) != ("--items" in server)


@pytest.mark.parametrize("kind", sorted(numbers()))
def test_a_client_of_numbers_reports_any_number(kind: str) -> None:
    """Of a number between items it has the law of `perturb`, and of another one it has not."""
    protocol: Any = ldptui.protocol(kind, low=17, high=90, epsilon=1.0)
    told = client_of(protocol, ranged=True)
    client = program(told)
    assert told is not None
    ours = ldptui.perturb(np.full(USERS, 40.5), protocol, np.random.default_rng(2))
    parts = max(1, protocol.report_values.size // 16)
    for number, fits in ((40.5, True), (71.25, False)):
        reports = [client.report(number, told.known)["report"] for _ in range(USERS)]
        counted = [Counter(int(each) // parts for each in some) for some in (reports, ours)]
        assert bool(same_law(*counted)) == fits


def test_the_page_of_numbers_runs(tmp_path: Path, capsys: Captured) -> None:
    """Its client reads numbers as they are, and its last line reads the reports."""
    asked = ("client", "spec", "hm", "--low", "17", "--high", "90")
    page = json.loads(succeed(capsys, *asked, "--format", "json"))
    assert page["range"] == [page["known"]["low"], page["known"]["high"]] == [17, 90]
    assert "items" not in page
    (tmp_path / "client.py").write_text(page["client"], "utf-8")
    (tmp_path / "known.json").write_text(json.dumps(page["known"]), "utf-8")
    done = subprocess.run(
        [sys.executable, "client.py", "known.json"], cwd=tmp_path, check=True, text=True,
        input="20\n40.5\n" * 2000, capture_output=True,
    )  # fmt: skip
    path = tmp_path / "r.jsonl"
    path.write_text(done.stdout, "utf-8")
    text = succeed(capsys, *asked)
    (line,) = (line for line in text.splitlines() if "ldptui estimate FILE" in line)
    words = [str(path) if word == "FILE" else word for word in line.split()[1:]]
    found = json.loads(succeed(capsys, *words, "--format", "json"))
    assert abs(found["mean"] - 30.25) < 6 * found["std"]
    vectors = json.loads(succeed(capsys, "client", "vectors", *asked[2:], "--count", "5"))
    assert {each["item"] for each in vectors["vectors"]} == {17, 35.25, 53.5, 71.75, 90}
    assert "not allowed with" in fail(capsys, 2, *asked, "--items", "4")
    assert "--low must be left out for GRR" in fail(capsys, 2, "client", "spec", "grr", *asked[3:])


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", SENDING)
def test_the_client_reads_the_vectors_as_they_say(kind: str, capsys: Captured) -> None:
    document = json.loads(succeed(capsys, "client", "spec", kind, *asked(kind), "--format", "json"))
    client = program(client_of(bound(kind)))
    assert document["client"].startswith(f'"""{client.__doc__}')
    assert document["vectors"]
    for vector in document["vectors"]:
        known, every = vector["known"], range(11)
        for at, row in enumerate(vector["reports"]):
            said = [client.supports(row, item, known) for item in every]
            if "supports" in vector:
                assert [item for item in every if said[item] > 0] == vector["supports"][at]
                against = vector.get("speaks_against", [[]] * len(vector["reports"]))
                assert [item for item in every if said[item] < 0] == against[at]
        for item, row in enumerate(vector.get("unperturbed", [])):
            assert client.packed(client.encode(item, row["cohort"], known)) == row["bits"]


def test_the_page_writes_the_hash_down() -> None:
    words = client_rows()["page"]["hash"]
    examples = re.findall(r"v = (\d+), s = (\d+): h = (\d+)", words)
    assert len(examples) == 2
    for v, s, h in examples:
        item, seed = np.array([int(v)]), np.array([int(s)], dtype=np.uint32)
        assert xxhash32(item, seed).tolist() == [int(h)]


def signature(kind: str, row: dict[str, Any], client: ModuleType, known: Any) -> Any:
    """What is told of a report: all of a short one, the supports and the first bits of a long."""
    supports = tuple(client.supports(row, item, known) for item in range(ITEMS))
    values = [value for value in row.values() if isinstance(value, int | str)]
    short = tuple(
        value if isinstance(value, str) or value < 64 else value >> 30 for value in values
    )
    numbers = [value for value in row.values() if isinstance(value, list)]
    return supports, short, tuple(int(number > 1) for part in numbers for number in part)


def same_law(first: Counter[Any], second: Counter[Any]) -> budget.Verdict:
    """Two samples are of one law: Pearson's chi-square of homogeneity, rare outcomes together."""
    seen = np.array([[first[key], second[key]] for key in {*first, *second}])
    rare = seen.sum(axis=1) < 2 * budget.LEAST_EXPECTED
    table = np.vstack([seen[~rare], seen[rare].sum(axis=0)]) if rare.any() else seen
    table = table[table.sum(axis=1) > 0]
    if len(table) < 2:
        return budget.Verdict(1.0, "one outcome")
    found = stats.chi2_contingency(table)
    return budget.Verdict(float(found.pvalue), f"chi-square {found.statistic:.1f}")


def samples(
    kind: str, report: Callable[[int, Any], Any], epsilon: float = 1.0
) -> Iterator[tuple[Counter[Any], Counter[Any]]]:
    """Of each of two items: the signatures of the client's reports, and of ldptui's."""
    protocol, rng = bound(kind), np.random.default_rng(1)
    told = client_of(bound(kind, epsilon))
    assert told is not None
    client, known = program(told), client_of(protocol).known  # type: ignore[union-attr]
    for item in (0, ITEMS - 1):
        ours = rows_of(report_files.send_reports(protocol, np.full(USERS, item), rng), protocol)
        theirs = [report(item, told.known) for _ in range(USERS)]
        yield (
            Counter(signature(kind, row, client, known) for row in theirs),
            Counter(signature(kind, row, client, known) for row in ours),
        )


def client_in(kind: str) -> ModuleType:
    told = client_of(bound(kind))
    assert told is not None
    return program(told)


@pytest.mark.every(17)
@pytest.mark.parametrize("kind", SENDING)
def test_the_client_has_the_law_of_its_protocol(kind: str) -> None:
    for theirs, ours in samples(kind, client_in(kind).report):
        verdict = same_law(theirs, ours)
        assert verdict, verdict.about


@pytest.mark.every(11)
@pytest.mark.parametrize("kind", SENDING)
def test_a_client_with_another_budget_is_rejected(kind: str) -> None:
    pairs = samples(kind, client_in(kind).report, 1.7)
    assert not all(same_law(theirs, ours) for theirs, ours in pairs)


@pytest.mark.every(7)
@pytest.mark.parametrize("kind", SENDING)
def test_reports_of_the_client_are_accepted(kind: str, tmp_path: Path, capsys: Captured) -> None:
    """Run as a program, as the page says, with the random numbers of the system."""
    page = json.loads(
        succeed(capsys, "client", "spec", kind, *asked(kind), "--items", "5", "--format", "json")
    )
    (tmp_path / "client.py").write_text(page["client"], "utf-8")
    (tmp_path / "parameters.json").write_text(json.dumps(page["known"]), "utf-8")
    done = subprocess.run(
        [sys.executable, "client.py", "parameters.json"], cwd=tmp_path, check=True, text=True,
        input="".join(f"{item % 5}\n" for item in range(200)), capture_output=True,
    )  # fmt: skip
    path = tmp_path / "reports.jsonl"
    path.write_text(done.stdout, "utf-8")
    protocol = bound(kind, items=5)
    assert sum(map(len, report_files.read_reports(path, protocol))) == 200
    if hasattr(protocol, "estimates"):
        agreed = ("--protocol", kind, "--epsilon", "1", "--items", "5", *asked(kind))
        assert "200 reports" in succeed(capsys, "estimate", str(path), *agreed)


class Run:
    """A client as an audit sees it: its reports as ldptui reads them."""

    def __init__(self, kind: str, epsilon: float, folder: Path) -> None:
        told = client_of(bound(kind, epsilon))
        assert told is not None
        self.client, self.known = program(told), told.known
        self.protocol, self.path = bound(kind, epsilon), folder / "r.jsonl"

    def perturb(self, values: Any, rng: Any) -> Any:
        self.client.RNG = random.Random(int(rng.integers(2**62)))
        rows = (json.dumps(self.client.report(int(item), self.known)) for item in values)
        self.path.write_text("\n".join(rows), "utf-8")
        return np.concatenate(list(report_files.read_reports(self.path, self.protocol)))

    def look(self, reports: Any, items: Any) -> Any:
        look = getattr(self.protocol, "look", None)
        return np.empty((len(reports), 0), dtype=bool) if look is None else look(reports, items)


@pytest.mark.long
@pytest.mark.parametrize("kind", SENDING)
def test_the_audit_finds_nothing_in_the_client(kind: str, tmp_path: Path) -> None:
    """And a client that spends four times as much is found."""
    claimed = bound(kind, 0.5).epsilon
    sure, count = 1 - budget.FALSE_ALARM, 90_000
    for epsilon, is_broken in ((0.5, False), (2.0, True)):
        found = audited(Run(kind, epsilon, tmp_path), ITEMS, claimed, count, sure, digits=False)
        assert found.is_broken == is_broken


@pytest.mark.long
@pytest.mark.parametrize(("end", "tool"), [(".c", "cc"), (".js", "node")])
def test_clients_in_other_languages(end: str, tool: str, tmp_path: Path) -> None:
    """Their buckets are those of ldptui, and their reports have its law."""
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    file, known = CLIENTS / f"hashing{end}", client_of(bound("olh")).known  # type: ignore[union-attr]
    command = ["node", str(file)]
    if end == ".c":
        subprocess.run(
            ["cc", "-O1", "-Wall", "-Werror", str(file), "-o", "client"], cwd=tmp_path, check=True
        )
        command = [str(tmp_path / "client")]
    client = client_in("olh")
    for p, fits in ((known["p"], True), (0.9, False)):
        theirs, ours = Counter[Any](), Counter[Any]()
        for item in (0, 3):
            words = [*command, *map(str, (known["d"], known["g"], p))]
            done = subprocess.run(
                words, input=f"{item}\n" * USERS, text=True, check=True, capture_output=True
            )
            lines = done.stdout.splitlines()
            assert lines[0] == "seed,value"
            rows = [dict(zip(("seed", "value"), map(int, line.split(",")), strict=True))
                    for line in lines[1:]]  # fmt: skip
            assert len(rows) == USERS
            honest = [client.report(item, known) for _ in range(USERS)]
            for counter, reports in ((theirs, rows), (ours, honest)):
                counter.update((item, *signature("olh", row, client, known)) for row in reports)
        assert bool(same_law(theirs, ours)) == fits


def test_a_kind_without_a_client_is_refused(capsys: Captured) -> None:
    assert "trusted curator" in fail(capsys, 2, "client", "spec", "laplace")
    for command in ("spec", "vectors"):
        assert fail(capsys, 2, "client", command, "nothing").startswith("KIND must be one of")
    line = fail(capsys, 2, "client", "spec", "olh", "--epsilon", "0")
    assert line.startswith("--epsilon must be")
    line = fail(capsys, 2, "client", "spec", "grr", "--set", "hash_range=4")
    assert "hash_range is not a known key" in line


def test_keys_of_the_protocol_reach_the_page(capsys: Captured, tmp_path: Path) -> None:
    page = json.loads(
        succeed(capsys, "client", "spec", "lh", "--set", "hash_range=7", "--format", "json")
    )
    assert page["known"]["g"] == 7
    assert {vector["known"]["g"] for vector in page["vectors"]} == {7}
    domain = tmp_path / "domain.txt"
    domain.write_text("apple\nfig\npear\n")
    named = json.loads(
        succeed(capsys, "client", "spec", "rappor", "--domain", str(domain), "--format", "json")
    )
    assert named["known"]["names"] == ["apple", "fig", "pear"]
    page = succeed(capsys, "client", "spec", "grr", "--domain", str(domain))
    assert 'item 0 is\n"apple", item 2 "pear".' in page
    assert [vector["epsilon"] for vector in named["vectors"]] == [0.5, 1.0, 2.0]
    budgets = ("--epsilon", "2", "--set", "epsilon_infinity=3")
    page = json.loads(succeed(capsys, "client", "spec", "l-sue", *budgets, "--format", "json"))
    assert [vector["epsilon"] for vector in page["vectors"]] == [0.5, 1.0, 2.0]
