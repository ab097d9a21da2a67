"""Outcomes as bytes: the same on the other side, and garbage of any kind in one sentence."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from support.cases import attack, experiment
from support.plugin_cases import attack_file
from support.round_cases import DOCUMENT

from ldptui import core
from ldptui.core.base.errors import FileError, LdpError, RunError
from ldptui.core.collection import counts
from ldptui.core.collection.reports import USER_BLOCK
from ldptui.core.experiment import compile as bind
from ldptui.core.metrics.results import CellResults
from ldptui.core.plugins import Allowed, permit
from ldptui.core.running.crossing import as_bytes, error_as_bytes, outcomes_in
from ldptui.core.running.runner import run
from ldptui.core.running.workers import Batch, Failure, Found, compute
from ldptui.core.scenario import Scenario

ZIPF = {"kind": "zipf", "items": 6, "users": 500, "exponent": 1.0}
OUE = {"kind": "oue", "epsilon": 1.0}
MGA = attack("mga", 0.1, [3, 4])
METRIC = "def biggest(frequencies, facts):\n    return frequencies.max()\n"
BROKEN = "def honest(protocol, view, count, rng):\n    raise LookupError('no \\x1b[2J seed')\n"


class Crossing(Executor):
    """Computes at once, and lets every outcome cross as bytes. change : makes others of them."""

    _max_workers = 2

    def __init__(self, change: Callable[[bytes], object] = bytes) -> None:
        self.change, self.crossed = change, 0

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        (batch,) = args
        self.crossed += 1
        try:
            future.set_result(outcomes_in(self.change(as_bytes(call(batch))), batch))
        except LdpError as error:
            future.set_exception(error)
        return future


def defended() -> core.Experiment:
    return experiment(ZIPF, OUE, MGA, trials=50, defence=[{"kind": "norm-sub"}])


def campaign() -> core.Experiment:
    return bind(Scenario(DOCUMENT | {"defence": [{"kind": "norm-sub"}]}))


def undefended() -> core.Experiment:
    return experiment(ZIPF, OUE, {"kind": "none"}, trials=3)


def hitters() -> core.Experiment:
    task = {"kind": "heavy-hitters", "k": 4, "bits": 3}
    return experiment(ZIPF, {"kind": "olh", "epsilon": 1.0}, MGA, trials=3, task=task)


def in_shares() -> core.Experiment:
    many = ZIPF | {"users": 2 * USER_BLOCK + 5, "items": 4}
    rpa = attack("rpa", 0.3, [2])
    return experiment(many, OUE, rpa, trials=2, simulate={"path": "reports"})


MADE = [defended, campaign, undefended, hitters, in_shares]


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "SHARE_PAIRS", USER_BLOCK * 4)


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal, and their arms the same objects where they were."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, name), getattr(other, name)) for name in vars(one))
    return bool(one == other)


@pytest.mark.parametrize("made", MADE)
def test_results_are_the_same_on_the_other_side(made: Callable[[], core.Experiment]) -> None:
    there = Crossing()
    *_, direct = run(made())
    *_, crossed = run(made(), executor=there)
    assert there.crossed
    assert crossed.results.digest == direct.results.digest
    for one, other in zip(direct.results.cells, crossed.results.cells, strict=True):
        assert same(one, other)


def test_code_of_somebody_crosses_as_columns_and_failures(tmp_path: Path) -> None:
    path, _ = attack_file(tmp_path, METRIC + BROKEN)
    allowed = Allowed(files=(path,))
    asks = {"kind": "plugin", "name": "honest", "share": 0.1, "targets": {"items": [1]}}
    measured = permit(experiment(ZIPF, OUE, MGA, metric=[{"name": "biggest"}], trials=2), allowed)
    broken = permit(experiment(ZIPF, OUE, asks, trials=2), allowed)
    batch = [(measured.cells[0], 0, 2)]
    (((_, _, block),), _) = outcomes_in(as_bytes(compute(batch)), batch)
    assert isinstance(block, CellResults)
    assert block.metrics["biggest"].shape == (2,)
    *_, last = run(broken, executor=Crossing())
    (failure,) = last.results.failures
    assert "raised LookupError" in failure.error
    assert "\x1b" not in failure.error


def test_an_arm_that_the_attack_left_alone_stays_one_object() -> None:
    batch = [(undefended().cells[0], 0, 3)]
    (((_, _, block),), _) = outcomes_in(as_bytes(compute(batch)), batch)
    assert isinstance(block, CellResults)
    assert len({id(moments) for moments in block.arms.values()}) == 1


def changed(field: str, value: Any) -> Callable[[bytes], bytes]:
    """The bytes with another value at a place, as "outcomes.0.number"."""

    def change(body: bytes) -> bytes:
        sent = msgspec.msgpack.decode(body)
        *way, last = [int(step) if step.isdecimal() else step for step in field.split(".")]
        place = sent
        for step in way:
            place = place[step]
        place[last] = value(place[last]) if callable(value) else value
        return msgspec.msgpack.encode(sent)

    return change


WRONG: list[tuple[Callable[[], core.Experiment], Callable[[bytes], object]]] = [
    (undefended, lambda _: b""),
    (undefended, lambda _: b"\x80\x04."),
    (undefended, lambda _: {"outcomes": []}),
    (undefended, lambda _: msgspec.msgpack.encode({"outcomes": []})),
    (undefended, lambda body: body[:-1]),
    (undefended, changed("seconds", -1.0)),
    (undefended, changed("seconds", float("nan"))),
    (undefended, changed("seconds", "1")),
    (undefended, changed("outcomes.0.cell", 1)),
    (undefended, changed("outcomes.0.number", 7)),
    (undefended, changed("outcomes", lambda outcomes: outcomes * 2)),
    (undefended, changed("outcomes.0.marks", b"12345678")),
    (undefended, changed("outcomes.0.trials.values", lambda values: values[8:])),
    (
        undefended,
        changed("outcomes.0.trials.moments", {"attacked_mean": b"", "attacked_squares": b""}),
    ),
    (
        undefended,
        changed("outcomes.0.trials.moments.clean_squares", lambda _: np.full(6, -1.0).tobytes()),
    ),
    (undefended, changed("outcomes.0.trials.moments.clean_mean", lambda data: data + data)),
    (undefended, changed("outcomes.0.detected", lambda _: np.full(6, 4).tobytes())),
    (undefended, changed("outcomes.0.detected", b"x")),
    (undefended, changed("outcomes.0.type", "_Failed")),
    (undefended, changed("outcomes.0.type", "posix.system")),
    (undefended, changed("outcomes.0", {"type": "_Failed", "cell": 5, "error": "", "details": ""})),
    (undefended, changed("outcomes.0", {"type": "_Counted", "counts": b""})),
    (campaign, changed("outcomes.0.rounds", None)),
    (campaign, changed("outcomes.0.rounds.values", lambda values: values + values)),
    (in_shares, changed("outcomes.0.counts", lambda data: data[8:])),
    (in_shares, changed("outcomes.0.counts", lambda _: np.full(4, 2**40).tobytes())),
    (in_shares, changed("outcomes", [])),
    (in_shares, changed("outcomes", lambda outcomes: outcomes * 2)),
]


@pytest.mark.parametrize(("made", "change"), WRONG)
def test_garbage_is_one_sentence(
    made: Callable[[], core.Experiment], change: Callable[[bytes], object]
) -> None:
    with pytest.raises(FileError, match=r"^the cluster sent what is no result: ") as error:
        [*run(made(), executor=Crossing(change))]
    assert "\n" not in str(error.value)


def test_damaged_bytes_never_raise_anything_else() -> None:
    draw = random.Random(5)
    batch: Batch = [(defended().cells[0], 0, 2)]
    body = as_bytes(compute(batch))
    read = 0
    for _ in range(2000):
        damaged = bytearray(body)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            outcomes_in(bytes(damaged), batch)
            read += 1
        except (FileError, RunError):
            pass
    assert 0 < read < 2000  # a number may be another number


def test_an_error_of_a_worker_is_a_sentence() -> None:
    batch = [(undefended().cells[0], 0, 3)]
    words = r"^a worker of the cluster failed: LookupError: no \?\[2J way$"
    with pytest.raises(RunError, match=words):
        outcomes_in(error_as_bytes(LookupError("no \x1b[2J way")), batch)


def test_a_failed_cell_leaves_out_the_rest_of_it() -> None:
    (cell,) = undefended().cells
    failed: list[Found] = [(0, 0, Failure(0, "no", "why"))]
    outcomes, seconds = outcomes_in(as_bytes((failed, 2.0)), [(cell, 0, 3)])
    assert (outcomes, seconds) == (failed, 2.0)
