"""Trust as a value: what it makes of a protocol, what fakes are held to, what the server sees."""

from __future__ import annotations

from typing import Any

import pytest
from support import budget
from support.cases import attack, experiment

import ldptui
from ldptui.core import run
from ldptui.core.base.arms import ATTACKED
from ldptui.core.bounds.shuffle.central import central_at_most
from ldptui.core.cell import Cell
from ldptui.core.export.json_document import cell_documents
from ldptui.core.protocols.curators import Geometric
from ldptui.core.protocols.curators.aggregate import Aggregate
from ldptui.core.protocols.trust import Local, TrustedCurator, Verified
from ldptui.core.task.frequencies import trial_estimates
from ldptui.core.theory import estimate_variances, expected_estimate, expected_metrics

ITEMS = [7, 8, 9, 10, 11]
COUNTS = [900, 600, 500, 400, 300, 200, 100, 0, 0, 0, 0, 0]


def cell_of(trust: dict[str, Any] | None, kind: str = "oue", **more: Any) -> Cell:
    table = {} if trust is None else {"trust": trust}
    protocol = {"kind": kind, "epsilon": 1.0, **more.pop("protocol", {})}
    made = more.pop("made", "mga")
    work = experiment(COUNTS, protocol, attack(made, 0.1, ITEMS), **table, **more)
    return work.cells[0]


def refused(trust: dict[str, Any] | None, words: str, kind: str = "oue", **more: Any) -> None:
    with pytest.raises(ldptui.ScenarioError) as caught:
        cell_of(trust, kind, **more)
    assert words in str(caught.value)


# What a row makes of a protocol.


def test_nobody_is_trusted_unless_a_curator_is() -> None:
    assert cell_of(None).trust == cell_of({"kind": "local"}).trust == Local()
    assert cell_of(None, "laplace").trust == TrustedCurator()
    assert "trust.kind" not in cell_of(None).parameters
    assert cell_of({"kind": "local"}).parameters["trust.kind"] == "local"


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", ["grr", "olh"])
def test_shuffled_reports_keep_the_central_promise(kind: str) -> None:
    cell = cell_of({"kind": "shuffled", "delta": 1e-4, "central_epsilon": 0.5}, kind)
    local: float = cell.pure.epsilon
    assert local > 0.5
    at_most = central_at_most(cell.protocol, local, cell.users, 1e-4)
    assert 0.5 * (1 - 1e-3) < at_most <= 0.5
    assert cell.budgets == {"central_epsilon": 0.5, "delta": 1e-4, "local_epsilon": local}
    own = cell_of({"kind": "shuffled", "delta": 1e-4}, kind)
    assert own.pure.epsilon == 1.0
    assert own.budgets["central_epsilon"] == central_at_most(own.protocol, 1.0, own.users, 1e-4)
    assert own.budgets["central_epsilon"] < 0.5


def test_what_servers_and_curators_release_keeps_the_central_promise() -> None:
    gaussian = {"kind": "aggregated", "noise": "gaussian", "delta": 1e-7}
    for trust, delta in (
        ({"kind": "aggregated"}, 0.0),
        (gaussian, 1e-7),
        ({"kind": "curator"}, 0.0),
    ):
        assert cell_of(trust).budgets == {"central_epsilon": 1.0, "delta": delta}
    assert cell_of({"kind": "verified"}).budgets == {}


def test_a_run_tells_the_central_promise() -> None:
    oue = {"kind": "oue", "epsilon": 1.0}
    work = experiment(COUNTS, oue, None, trust={"kind": "shuffled", "delta": 1e-4}, trials=1)
    *_, last = run(work)
    assert cell_documents(last.results)[0].items() >= work.cells[0].budgets.items()


def test_servers_and_curators_have_the_noise_of_the_same_budget() -> None:
    sums = cell_of({"kind": "aggregated", "circuit": "sumvec", "aggregators": 3}, "grr").protocol
    assert sums == Aggregate(12, 1.0, "change-one", "sumvec", None, 3)
    assert cell_of({"kind": "curator"}).protocol == Geometric(12, 1.0)
    assert cell_of({"kind": "curator"}, "laplace").protocol == cell_of(None, "laplace").protocol


# What fakes are held to.


def test_each_circuit_admits_its_own_number_of_targets() -> None:
    """MGA on r = 5 targets: one, three, and all of them, by simulation and by closed form."""
    for keys, admitted in (
        ({"circuit": "histogram"}, 1), ({"circuit": "multihot", "weight": 3}, 3),
        ({"circuit": "sumvec"}, 5),
    ):  # fmt: skip
        cell = cell_of({"kind": "aggregated", **keys}, trials=200)
        assert expected_metrics(cell)["gain"] == pytest.approx(cell.share * admitted)
        after = trial_estimates(cell, 200)[ATTACKED]
        means, variances = expected_estimate(cell), estimate_variances(cell)
        assert means is not None
        assert variances is not None
        assert budget.mean(after, means, variances[1])
        assert not budget.mean(after, means * (admitted + 1) / admitted, variances[1])


def test_a_defence_that_verifies_is_the_same_trust() -> None:
    """The fakes of the old spelling and of the new one have the same streams and the same gain."""
    before = cell_of(None, defence=[{"kind": "verified-randomiser", "drop_out": True}])
    now = cell_of({"kind": "verified", "drop_out": True})
    assert before.sifted_cell.trust == now.trust == Verified(drop_out=True)
    assert before.trust == Local()
    assert before.sifted_cell.malicious_address == now.malicious_address
    told, meant = expected_metrics(before), expected_metrics(now)
    assert told["gain_after"] == pytest.approx(meant["gain"])
    assert told["gain"] != pytest.approx(meant["gain"])
    gained = [
        last.results.cells[0].estimate(name).mean
        for cell, name in ((before, "gain_after"), (now, "gain"))
        for *_, last in [run(_alone(cell))]
    ]
    assert gained[0] == pytest.approx(gained[1], rel=1e-12)


def _alone(cell: Cell) -> Any:
    trust = {} if cell.parameters.get("trust.kind") is None else {
        "trust": {"kind": "verified", "drop_out": True}}  # fmt: skip
    steps = [{"kind": "verified-randomiser", "drop_out": True}] if cell.defences else []
    return experiment(COUNTS, {"kind": "oue", "epsilon": 1.0}, attack("mga", 0.1, ITEMS),
                      defence=steps, trials=20, **trust)  # fmt: skip


def test_those_who_drop_out_are_no_reports() -> None:
    """Both paths have one law, with another number of reports in each trial."""
    means = None
    for way in ("counts", "reports"):
        cell = cell_of({"kind": "verified", "drop_out": True}, simulate={"path": way})
        means, variances = expected_estimate(cell), estimate_variances(cell)
        assert means is not None
        assert variances is not None
        after = trial_estimates(cell, 60)[ATTACKED]
        assert budget.mean(after, means, 1.05 * variances[1])
        assert not budget.mean(after, means * 2, 1.05 * variances[1])


# What cannot be.


@pytest.mark.parametrize("kind", ["local", "verified", "shuffled", "aggregated"])
def test_a_curator_is_told_all(kind: str) -> None:
    refused({"kind": kind}, 'trust.kind must be "curator" with laplace', "laplace")


@pytest.mark.parametrize(
    ("trust", "words"),
    [
        ({"kind": "friends"}, "trust.kind must be one of"),
        ({"kind": "shuffled", "delta": 0.0}, "trust.delta must be in (0, 1), got 0.0"),
        ({"kind": "shuffled", "delta": 0.7}, "trust.delta must be in [1e-30, 0.5]"),
        ({"kind": "shuffled", "central_epsilon": 0.0}, "trust.central_epsilon must be in (0, 20]"),
        ({"kind": "aggregated", "circuit": "sum"}, 'trust.circuit must be "histogram"'),
        ({"kind": "aggregated", "circuit": "multihot"}, "trust.weight must be in [2, 12]"),
        ({"kind": "aggregated", "noise": "gaussian"}, "trust.delta is required for"),
        ({"kind": "curator", "delta": 0.1}, "trust.delta is not a known key"),
    ],
)
def test_a_table_that_cannot_be(trust: dict[str, Any], words: str) -> None:
    refused(trust, words)


def test_protocols_that_do_not_fit() -> None:
    refused({"kind": "shuffled"}, "say whose they are", "hst")
    mean = {"task": {"kind": "mean"}, "made": "rpa"}
    refused({"kind": "verified"}, 'must be left out with task.kind = "mean"', "sr", **mean)


@pytest.mark.parametrize(
    ("trust", "defence", "words"),
    [
        ("shuffled", "ldpguard", "nobody knows which two reports are one user's"),
        ("aggregated", "fiad", "in secure aggregation, whose servers see sums alone"),
        ("curator", "fiad", "a curator to whom users tell their items"),
        ("verified", "verified-randomiser", 'must be "local" with the defence'),
        ("shuffled", "verified-randomiser", 'must be "local" with the defence'),
    ],
)
def test_defences_that_have_nothing_to_read(trust: str, defence: str, words: str) -> None:
    refused({"kind": trust}, words, defence=[{"kind": defence}])


def test_answers_that_are_kept_can_be_linked() -> None:
    refused({"kind": "shuffled"}, "whose users keep an answer", "l-sue",
            protocol={"epsilon": 1.0}, campaign={"rounds": 2})  # fmt: skip


def test_dropping_out_needs_no_filter_and_no_rounds() -> None:
    refused({"kind": "verified", "drop_out": True}, "must be false with filters or rounds",
            campaign={"rounds": 2})  # fmt: skip


def test_a_weak_delta_is_said() -> None:
    cell = cell_of({"kind": "shuffled", "delta": 0.01})
    assert any("so weak a promise" in warning for warning in cell.warnings)
