"""Every bundled scenario: loads, explains itself, runs, and shows what it claims."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest
from support.cases import results_of
from support.claims import bundled

from ldptui import scenarios
from ldptui.core.attacks import PythonAttack, Reactive
from ldptui.core.base.errors import suggest
from ldptui.core.experiment import Experiment, compile
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.running.runner import RunResults
from ldptui.core.scenario import load
from ldptui.core.theory import attacked_variance, expected_estimate, expected_metrics

NAMES = scenarios.names()
PROMISED = {
    "quickstart",
    "security-privacy",
    "cao-gain-beta",
    "cao-gain-r",
    "cao-gain-target-frequency",
    "cao-gain-epsilon",
    "cao-gain-domain",
    "cao-countermeasures",
    "range-sums",
    "defence-cost",
    "seed-search",
    "protocol-choice",
    "one-heavy-item",
    "error-over-epsilon",
    "survey",
    "billion-users",
    "price-of-locality",
    "mixed-attack",
    "fake-accounts",
    "slow-ramp",
    "burst",
    "adaptive-attack",
    "rappor-attack",
    "rappor-normal",
    "rappor-strings",
    "memoisation",
    "planner",
    "hidden-attack",
    "hidden-filters",
    "verified-randomiser",
    "hardening-olh",
    "hardening-ue",
    "two-reports",
    "randomised-response",
    "trust-batch",
    "trust-circuits",
    "trust-ladder",
    "trust-shuffled",
    "deployed-chrome-ara",
    "deployed-chrome-rappor",
    "deployed-apple-emoji",
    "deployed-apple-safari",
    "deployed-microsoft",
    "deployed-dap-histogram",
}


def finished(experiment: Experiment) -> RunResults:
    return results_of(experiment, frequencies=False)


def expected(name: str, metric: str, **settings: object) -> list[tuple[dict[str, object], float]]:
    """The closed form of a metric in each cell, with the cell's parameters."""
    found = []
    for cell in bundled(name, **settings).cells:
        value = expected_metrics(cell)[metric]
        assert value is not None
        found.append((dict(cell.parameters), value))
    return found


def test_all_that_is_promised_is_there_and_two_come_first() -> None:
    assert set(NAMES) >= PROMISED
    assert NAMES[:2] == ["quickstart", "cao-gain-beta"]
    assert NAMES[2:] == sorted(NAMES[2:])


@pytest.mark.parametrize("name", NAMES)
def test_it_says_its_claim_and_its_source_before_anything_else(name: str) -> None:
    text = scenarios.path(name).read_text(encoding="utf-8")
    comment, _, rest = text.partition("\n\n")
    editors, *lines = comment.splitlines()
    assert editors == f"#:schema {scenarios.SCHEMA}"
    assert lines[0].startswith("# Claim: ")
    assert any(line.startswith("# Source: ") for line in lines)
    assert all(line.startswith("# ") and len(line) <= 100 for line in lines)
    assert rest.startswith("format = 1")
    scenario = load(scenarios.path(name))
    assert 10 <= len(scenario.title) <= 60
    assert scenario.about
    assert scenario.sweep or name == "randomised-response"


LEADS = {"frequencies": "gain", "mean": "mean_shift"}
"""What fakes move, by task, where an estimate is linear in the reports."""
CLOSED = (
    "gain",
    "mse",
    "mse_clean",
    "mean_shift",
    "mean_squared_error",
    "mean_squared_error_clean",
)


@pytest.mark.every(8)
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_agrees_with_the_theory(name: str) -> None:
    """The corners of each sweep, 20 trials each: far off the closed form is a bug."""
    scenario = load(scenarios.path(name))
    experiment = compile(scenario)
    sifts = any(cell.filters for cell in experiment.cells)
    if sifts:  # mining takes seconds: few users and one trial show that it runs
        experiment = compile(scenario.with_value("population.users", 1000))
    names = {code for cell in experiment.cells for _, code in cell.python_code}
    files = tuple(scenarios.path(name).with_name(f"{code}.py") for code in names)
    experiment = permit_code(experiment, CodePermission(files=files))
    cells = [experiment.cells[k] for k in {0, len(experiment.cells) // 2, -1}]
    trials = 1 if sifts else 20
    few = tuple(dataclasses.replace(cell, index=k, trials=trials) for k, cell in enumerate(cells))
    results = finished(Experiment(experiment.scenario, few))
    assert results.complete
    for cell, measured in zip(few, results.cells, strict=True):
        theory = expected_metrics(cell)
        for metric in CLOSED:
            z = measured.estimate(metric, theory.get(metric)).z
            # Student's t with 19 degrees of freedom exceeds 12 once in 10^10 draws.
            assert z is None or abs(z) < 12, (cell.parameters, metric, z)
        lead = LEADS.get(cell.task.kind)
        if lead and cell.malicious and not isinstance(cell.attack, PythonAttack | Reactive):
            assert theory[lead] is not None


@pytest.mark.long
def test_the_quickstart_moves_rare_items_to_the_top() -> None:
    experiment = compile(load(scenarios.path("quickstart")).with_value("attack.share", 0.05))
    results = finished(experiment)
    (cell,), (measured,) = experiment.cells, results.cells
    before = measured.estimate("target_frequency_clean").mean
    after = measured.estimate("target_frequency").mean
    assert before is not None
    assert after is not None
    assert after > 10 * before
    assert measured.estimate("targets_in_top_k").mean == cell.targets.size
    assert cell.population.domain_size <= 128  # legible as bars


def test_locality_costs_more_the_more_users_there_are() -> None:
    def of(metric: str) -> dict[tuple[object, object], float]:
        return {
            (parameters["protocol.kind"], parameters["population.users"]): value
            for parameters, value in expected("price-of-locality", metric)
        }

    errors, gains = of("mse_clean"), of("gain")
    sizes = [10**4, 10**5, 10**6, 10**7]
    for kind in ("grr", "oue"):
        price = [errors[kind, n] / errors["laplace", n] for n in sizes]
        assert price[0] > 1000
        assert [b / a for a, b in itertools.pairwise(price)] == pytest.approx([10] * 3)
    for n in sizes:
        assert errors["geometric", n] == pytest.approx(errors["laplace", n], rel=0.03)
        # A share of 1/100 of fakes: a curator is moved by less, a local protocol by far more.
        for kind in ("laplace", "geometric"):
            assert 0 < gains[kind, n] < 0.01
        assert gains["oue", n] > 20 * gains["laplace", n]
        assert gains["grr", n] > 40 * gains["laplace", n]
    # What is rare is withheld, until there are enough users.
    assert errors["stability", 10**4] > 3 * errors["laplace", 10**4]
    assert errors["stability", 10**7] == pytest.approx(errors["laplace", 10**7])
    # Fakes lift a rare item above the threshold, and gain what genuine users hold of it as well.
    assert gains["stability", 10**4] > 0.01 > gains["stability", 10**6]


def test_the_number_of_fake_accounts() -> None:
    cells = compile(load(scenarios.path("fake-accounts"))).cells
    taken: dict[object, list[int]] = {}
    for cell in cells:
        assert cell.answer is not None
        assert cell.answer.reached
        assert cell.answer.by == "closed form"
        assert expected_metrics(cell)["target_frequency"] == cell.answer.value
        taken.setdefault(cell.parameters["protocol.kind"], []).append(cell.malicious)
    assert all(numbers == sorted(numbers) for numbers in taken.values())
    five = {kind: numbers[1] for kind, numbers in taken.items()}
    users = cells[0].users
    assert five["laplace"] == pytest.approx(0.05 / 0.95 * users, rel=0.01)
    assert five["oue"] < five["laplace"] / 3
    assert five["olh"] < five["laplace"] / 3
    assert five["grr"] == pytest.approx(five["laplace"] / 150, rel=0.1)


def test_paths_and_names() -> None:
    assert scenarios.path("quickstart").is_file()
    with pytest.raises(KeyError):
        scenarios.path("../pyproject")
    assert scenarios.find("quickstart") == scenarios.path("quickstart")
    assert scenarios.find("some/where.toml") == Path("some/where.toml")
    assert suggest("quickstrat", scenarios.names()) == " (did you mean quickstart?)"
    assert suggest("zzzzzzzz", scenarios.names(), "see the list") == " (see the list)"
    assert suggest(5, ["5.0"]) == ""


def test_a_file_of_that_name_wins_over_a_bundled_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey").mkdir()
    assert scenarios.find("survey") == scenarios.path("survey")
    (tmp_path / "quickstart").write_text("format = 1\n", encoding="utf-8")
    assert scenarios.find("quickstart") == Path("quickstart")


def test_the_package_holds_nothing_but_scenarios_and_their_data() -> None:
    folder = scenarios.path("quickstart").parent
    data = {load(scenarios.path(name)).document["population"].get("path") for name in NAMES}
    names = {load(scenarios.path(name)).document.get("attack", {}).get("name") for name in NAMES}
    files = {path.name for path in folder.iterdir() if path.is_file()}
    code = {f"{name}.py" for name in (names - {None}) | {"__init__"}}
    assert files == {f"{name}.toml" for name in NAMES} | (data - {None}) | code | {scenarios.SCHEMA}


def jumps(name: str) -> list[float]:
    """The moves of each cell's expected estimates of targets in a round, in deviations."""
    found = []
    for cell in compile(load(scenarios.path(name))).cells:
        estimates, variances = [], []
        for collection in cell.rounds:
            estimate, variance = expected_estimate(collection), attacked_variance(collection)
            assert estimate is not None
            assert variance is not None
            estimates.append(estimate[cell.targets])
            variances.append(variance[cell.targets])
        moved = np.abs(np.diff(estimates, axis=0)) / np.sqrt(variances)[1:]
        found.append(float(moved.max()))
    return found


@pytest.mark.long
def test_a_slow_ramp_stays_under_the_eye_and_a_burst_does_not() -> None:
    ramp, burst = (finished(compile(load(scenarios.path(name)))) for name in ("slow-ramp", "burst"))
    assert max(jumps("slow-ramp")) < 0.5
    assert min(jumps("burst")) > 100
    for slow, sudden in zip(ramp.experiment.cells, burst.experiment.cells, strict=True):
        assert sudden.malicious == pytest.approx(slow.malicious, rel=1e-3)
        gains = [expected_metrics(cell)["gain"] for cell in (slow, sudden)]
        assert gains[0] == pytest.approx(gains[1], rel=5e-3)
    for results, last in ((ramp, 3.0), (burst, 0.0)):
        for measured in results.cells:
            assert measured.rounds is not None
            inside = measured.rounds.estimates("targets_in_top_k", [None] * 60)
            assert inside[-1].mean == last
            assert measured.estimate("targets_in_top_k").mean == 3
    for measured in burst.cells:
        assert measured.rounds is not None
        assert (measured.rounds.entries(3) == 30).all()


@pytest.mark.long
def test_an_attacker_who_watches_wastes_no_fakes_on_grr() -> None:
    results = finished(compile(load(scenarios.path("adaptive-attack"))))
    inside = {}
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        assert measured.rounds is not None
        kinds = cell.parameters["protocol.kind"], cell.parameters["attack.kind"]
        means = [
            estimate.mean for estimate in measured.rounds.estimates("targets_in_top_k", [None] * 20)
        ]
        inside[kinds] = float(np.mean([mean for mean in means if mean is not None]))
        assert cell.targets.size == 10
    assert inside["grr", "reactive"] > inside["grr", "mga"] + 1
    assert inside["oue", "reactive"] <= inside["oue", "mga"] + 0.1
