"""The audit of a client: its bound is one, what is broken is found, and what is not is not."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget

import ldptui
from ldptui.core.base.errors import RunError, ScenarioError
from ldptui.core.lab.audit import (
    AuditReport,
    Client,
    ClientClaim,
    Effort,
    Program,
    audit_client,
    words_of,
)
from ldptui.core.lab.audit.client import homogeneity
from ldptui.questions.audit_clients import program_reports
from ldptui.questions.question import finish

D = 8
SURE = 1 - budget.FALSE_ALARM


class Own:
    """A protocol of ours as a client, of which one item may be spared."""

    def __init__(self, kind: str, epsilon: float, spared: int = -1) -> None:
        self.protocol, self.spared = ldptui.protocol(kind, D, epsilon=epsilon), spared

    def perturb(self, values: Any, rng: Any) -> Any:
        reports = self.protocol.perturb(values, rng)
        return reports if self.spared < 0 else np.where(values == self.spared, values, reports)


def claim_of(kind: str, epsilon: float = 1.0) -> ClientClaim:
    return ClientClaim(D, epsilon, ldptui.protocol(kind, D, epsilon=epsilon))


def audited(
    client: Any, claim: ClientClaim, samples: int = 20_000, seed: int = 0, sure: float = SURE
) -> AuditReport:
    given = Client("client", lambda items, rng: iter([client.perturb(items, rng)]))
    return finish(audit_client(given, claim, Effort(samples, sure, seed)))


HONEST = {
    "grr": 0.3, "oue": 0.3, "olh": 0.3, "ss": 0.3, "hr": 0.2, "hcms": 0.3,
}  # fmt: skip
"""Bounds on ε that honest clients of ε = 1 reach with 20 000 reports."""
SPENDING = {"grr": 2.5, "oue": 2.5, "the": 3.0, "hst": 2.5, "hr": 2.5, "dbitflip": 2.5, "hcms": 2.5}
"""The ε that broken clients spend in the place of 1."""


@pytest.mark.parametrize("kind", HONEST)
def test_an_honest_client_is_not_refuted(kind: str) -> None:
    found = audited(Own(kind, 1.0), claim_of(kind))
    assert not found.is_broken
    assert found.conforms
    assert HONEST[kind] < found.epsilon_low <= 1.0
    assert found.samples == 20_000


@pytest.mark.parametrize("kind", SPENDING)
def test_a_client_that_spends_more_is_broken(kind: str) -> None:
    found = audited(Own(kind, SPENDING[kind]), claim_of(kind))
    assert found.is_broken
    assert not found.conforms
    assert 1.0 < found.epsilon_low <= SPENDING[kind]


def test_a_client_of_another_protocol_is_not_broken_but_does_not_conform() -> None:
    found = audited(Own("sue", 1.0), claim_of("oue"))
    assert (found.is_broken, found.conforms) == (False, False)
    assert audited(Own("oue", 1.0), ClientClaim(D, 1.0)).conforms is None


@pytest.mark.parametrize("item", [0, 5])
def test_one_item_that_is_never_perturbed_is_found(item: int) -> None:
    found = audited(Own("grr", 1.0, item), claim_of("grr"))
    assert found.is_broken
    assert item in found.items
    assert found.epsilon_low > 3


def test_the_bound_holds_as_often_as_promised() -> None:
    """Of a client that spends all of its ε; a mutant of a lesser confidence is not let through."""
    sure, of = 0.9, 200
    found = [audited(Own("grr", 1.0), claim_of("grr"), 4000, seed, sure) for seed in range(of)]
    broken = sum(each.is_broken for each in found)
    strange = sum(not each.conforms for each in found)
    for hits in (broken, strange):
        assert stats.binom.sf(hits - 1, of, (1 - sure) / 2) >= budget.FALSE_ALARM
    # The bound is no empty one: it comes near to ε.
    assert np.median([each.epsilon_low for each in found]) > 0.5
    over = [audited(Own("grr", 1.9), claim_of("grr"), 4000, seed, sure) for seed in range(20)]
    assert sum(each.is_broken for each in over) > 10


def test_equal_laws_have_uniform_p_values() -> None:
    rng = np.random.default_rng(0)
    law = np.array([0.5, 0.3, 0.15, 0.05])
    tables = rng.multinomial(500, law, size=(400, 2, 3)).astype(float)
    values = [homogeneity(first, second) for first, second in tables]
    assert stats.kstest(values, "uniform").pvalue >= budget.FALSE_ALARM
    other = rng.multinomial(500, law[::-1], size=3).astype(float)
    assert homogeneity(tables[0, 0], other) < 1e-9


def test_the_same_coins_at_every_start_are_found() -> None:
    def report(seed: int | None, epsilon: float) -> AuditReport:
        own = Own("grr", epsilon)

        def start(items: Any, _: Any) -> Any:
            return own.perturb(items, np.random.default_rng(seed))

        client = Client("client", lambda items, rng: iter([own.perturb(items, rng)]), start=start)
        return finish(audit_client(client, claim_of("grr", epsilon), Effort(4000)))

    assert report(5, 1.0).repeats
    assert not report(None, 1.0).repeats
    assert not report(None, 20.0).repeats  # reports that are alike with good reason


# Programs.


def sent(code: str, count: int = 9, **more: Any) -> Any:
    """The reports that a program in Python sends of so many items."""
    program = Program((sys.executable, "-S", "-c", code), **more)
    protocol = ldptui.protocol("grr", 8, epsilon=1.0)
    return np.concatenate([*program_reports(program, protocol, np.arange(count) % 7)])


def test_a_program_gets_items_and_its_reports_come_in_order() -> None:
    code = "import sys\n{}\nfor line in sys.stdin: print({})"
    for head, row in (("print('report')", "int(line) + 1"), ("", "int(line) + 1"),
                      ("", "'{\"report\": %d}' % (int(line) + 1)")):  # fmt: skip
        assert (sent(code.format(head, row), 100_000) == np.arange(100_000) % 7 + 1).all()


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("", r"ended with exit code 0 after 0 of 9 reports"),
        ("import sys; sys.exit('no')", r"ended with exit code 1 \(no\) after 0 of 9"),
        ("print('x')", "report must be a whole number"),
        ("print('1\\n' * 10)", r"wrote more reports than it got items \(9\)"),
        ("while True: print('1' * 4096)", "wrote more than"),
        ("import time; time.sleep(60)", "did not end within 0.5 s"),
    ],
)
def test_a_program_that_does_not_work_is_one_sentence(code: str, rule: str) -> None:
    with pytest.raises(RunError, match=rule):
        sent(code, seconds=0.5)


def test_what_a_program_started_ends_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "child"
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        f"open({str(mark)!r}, 'w').write(str(child.pid))\n"
        "for line in sys.stdin: print(1)"
    )
    sent(code)
    child = Path(f"/proc/{mark.read_text()}/stat")
    end = time.monotonic() + 10
    while child.exists() and child.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.01)


def test_words_of_a_command() -> None:
    assert words_of("./client --name 'a b'") == ("./client", "--name", "a b")
    for wrong in ("", "'"):
        with pytest.raises(ScenarioError, match="must be a program and its arguments"):
            words_of(wrong)
    with pytest.raises(ScenarioError, match="must be a program that can be started"):
        Program(("/no/such",)).run(np.arange(9))
