"""From a sweep to bound cells, and the limits on their size."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import attack, experiment
from support.kinds import CAO_ATTACKS

from ldptui import core
from ldptui.core.base.errors import ScenarioError

ZIPF = {"kind": "zipf", "items": 10, "users": 1000, "exponent": 1.0}
OUE = {"kind": "oue", "epsilon": 1.0}


def compiled(limits: bool = True, **tables: Any) -> core.Experiment:
    document = {"format": 1, "population": ZIPF, "protocol": OUE, **tables}
    return core.compile(core.Scenario(document, "my.toml", Path()), limits=limits)


def test_cells_come_in_file_order_the_last_key_fastest() -> None:
    work = experiment(
        ZIPF,
        OUE,
        attack("ria", 0.1, [1]),
        trials=7,
        sweep={"protocol.kind": ["oue", "grr"], "attack.share": [0.3, 0.1, 0.2]},
    )
    seen = [
        (cell.index, cell.parameters["protocol.kind"], cell.parameters["attack.share"])
        for cell in work.cells
    ]
    kinds = [(kind, share) for kind in ("oue", "grr") for share in (0.3, 0.1, 0.2)]
    assert seen == [(index, *pair) for index, pair in enumerate(kinds)]
    assert work.trials == 42
    assert all(cell.trials == 7 for cell in work.cells)


def test_a_cell_is_what_its_parameters_say() -> None:
    (cell,) = experiment(
        ZIPF,
        {"kind": "olh", "epsilon": 2.0, "hash_range": "ceil"},
        attack("mga", 0.2, [2, 5], seeds=7, scoring="bucket"),
        seed=4,
        simulate={"top_k": 50, "path": "reports"},
    ).cells
    assert cell.parameters["protocol.hash_range"] == "ceil"
    assert (cell.protocol.facts().get("hash_range"), cell.protocol.q) == (9, 1 / 9)
    assert (cell.users, cell.malicious, cell.seed, cell.path) == (1000, 250, 4, "reports")
    assert cell.top_k == 10
    assert cell.targets.tolist() == [2, 5]
    assert cell.parameters["attack.seeds"] == 7
    assert cell.parameters["population.exponent"] == 1.0


def test_each_cell_lists_only_keys_of_its_kind() -> None:
    work = experiment(
        ZIPF,
        {"kind": "oue", "epsilon": 1.0, "hash_range": 5},
        attack("mga", 0.2, [2], seeds=7),
        sweep={"protocol.kind": ["oue", "olh"], "attack.kind": ["none", *CAO_ATTACKS]},
    )
    for cell in work.cells:
        keys = set(cell.parameters)
        assert ("protocol.hash_range" in keys) == (cell.parameters["protocol.kind"] == "olh")
        assert ("attack.seeds" in keys) == (cell.parameters["attack.kind"] == "mga")
        assert ("attack.share" in keys) == (cell.parameters["attack.kind"] != "none")
        assert (cell.attack is None) == (cell.parameters["attack.kind"] == "none")


def test_auto_takes_the_counts_path() -> None:
    for path, expected in (("auto", "counts"), ("counts", "counts"), ("reports", "reports")):
        assert experiment(ZIPF, simulate={"path": path}).cells[0].path == expected


def test_populations_are_drawn_once() -> None:
    work = experiment(ZIPF, sweep={"protocol.epsilon": [0.5, 1.0, 2.0]})
    assert len({id(cell.population) for cell in work.cells}) == 1


def test_targets_by_frequency_follow_the_drawn_population() -> None:
    aim = {"kind": "ria", "share": 0.1, "targets": {"pick": "least-frequent", "count": 3}}
    (cell,) = experiment(ZIPF, OUE, aim).cells
    held = cell.population.histogram
    assert held[cell.targets].tolist() == np.sort(held)[:3].tolist()


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"population": {**ZIPF, "items": 2**20 + 1}},
            r"my.toml: population.items must be in \[2, 2\^20\], got 1 048 577",
        ),
        (
            {"population": {**ZIPF, "users": 10**13 + 1}},
            r"my.toml: population.users must be in \[1, 10\^13\]",
        ),
        (
            {"population": {**ZIPF, "users": 10**13}, "attack": attack("ria", 0.1, [1])},
            r"users and malicious users must be at most 10\^13 together",
        ),
        (
            {"population": {**ZIPF, "users": 10**11 + 1}, "simulate": {"path": "reports"}},
            r"my.toml: simulate.path must be .* users × items exceeds 10\^12",
        ),
        ({"trials": 10**6 + 1}, "my.toml: trials times cells must be at most 1 000 000"),
        (
            {"trials": 400_000, "sweep": {"protocol.epsilon": [1.0, 2.0, 3.0]}},
            "my.toml: trials times cells must be at most 1 000 000",
        ),
        (
            {"sweep": {"seed": {"from": 0, "to": 10_000, "points": 10_001}}},
            "my.toml: sweep must give at most 10 000 cells, got 10 001",
        ),
    ],
)
def test_limits(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message) as caught:
        compiled(**tables)
    assert "--no-limits" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("users", "tables", "message"),
    [
        (2**63 - 1, {"attack": attack("mga", 0.1, [0])}, "malicious users must be below 2^63"),
        (10**16, {"campaign": {"rounds": 1000}}, "users of all rounds must be below 2^63"),
    ],
)
def test_counts_overflow_in_no_run(users: int, tables: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)):
        compiled(limits=False, population={**ZIPF, "users": users}, **tables)


def test_limits_can_be_lifted() -> None:
    assert compiled(limits=False, trials=10**6 + 1).trials == 10**6 + 1
    many = {"population": {**ZIPF, "users": 10**13 + 1}}
    assert compiled(limits=False, **many).cells[0].users == 10**13 + 1


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"attack": attack("ria", 0.1, [10])},
            "attack.targets.items must be items from 0 to 9",
        ),
        (
            {"attack": {"kind": "ria", "share": 0.1, "targets": {"pick": "random", "count": 11}}},
            r"attack.targets.count must be in \[1, 10\], the number of items, got 11",
        ),
        ({"protocol": {"kind": "grr", "epsilon": 1e-17}}, "epsilon must be large enough"),
        (
            {"population": {"kind": "normal", "items": 5, "users": 5, "mean": 1e9, "std": 1.0}},
            "population.mean must be near the items",
        ),
    ],
)
def test_what_only_binding_can_find(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=f"my.toml: .*{message}"):
        compiled(**tables)


@pytest.mark.parametrize(
    ("items", "users", "path"),
    [(2, 23 * 10**6, "counts"), (2, 4 * 10**6, "reports"), (32, 2 * 10**6, "reports"),
     (32, 3 * 10**6, "counts")],
)  # fmt: skip
def test_the_reports_of_many_users_are_not_made_unasked(items: int, users: int, path: str) -> None:
    """Items of a sketch are drawn apart on the counts path; few items take no less time a user."""
    population = {"kind": "uniform", "items": items, "users": users}
    [cell] = experiment(population, {"kind": "cms", "epsilon": 1.0}).cells
    assert cell.path == path
