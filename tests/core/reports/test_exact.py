"""Reports without noise: what is around a protocol, tested with counts that are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui.core.base.errors import LdpWarning, ScenarioError
from ldptui.core.protocols.exact import WARNING
from ldptui.core.reports.points import protocol
from ldptui.core.reports.report_files import write_reports

ITEMS = np.repeat(np.arange(4), (5, 0, 3, 2))


def made() -> Any:
    with pytest.warns(LdpWarning, match="adds no noise"):
        return protocol("exact", items=4)


def test_reports_are_the_items_and_estimates_their_frequencies() -> None:
    exact = made()
    assert exact.perturb(ITEMS).tolist() == ITEMS.tolist()
    answer = ldptui.estimate(exact.perturb(ITEMS), exact)
    assert answer.values.tolist() == [0.5, 0, 0.3, 0.2]
    assert np.array_equal(answer.low, answer.high)


def test_every_output_says_that_nobody_is_protected(tmp_path: Path) -> None:
    exact, path = made(), tmp_path / "r.csv"
    write_reports(path, [ITEMS], exact)
    with pytest.warns(LdpWarning, match="for_tests"):
        answer = ldptui.estimate(str(path), exact)
    for written in (answer.text(), answer.markdown(), *answer.read_doubts[:1]):
        assert WARNING in written


def test_a_scenario_names_it_and_its_run_says_so(tmp_path: Path) -> None:
    """That warnings of a run are in each of its outputs is proved in `test_doubts`."""
    path = tmp_path / "exact.toml"
    path.write_text(
        "format = 1\ntrials = 3\nprotocol = { kind = 'exact' }\n"
        "population = { kind = 'zipf', items = 8, users = 100, exponent = 1.0 }\n"
    )
    with pytest.warns(LdpWarning, match="adds no noise"):
        results = ldptui.run(str(path))
    assert results.warnings == (WARNING,)
    assert results.estimate("mse").mean == 0
    path.write_text(path.read_text().replace("'exact'", "'oue', epsilon = inf"))
    with pytest.raises(ScenarioError, match="are those of the protocol exact"):
        ldptui.run(str(path))


def test_no_budget_goes_with_it() -> None:
    with pytest.raises(ScenarioError, match="epsilon is not a known key, only kind"):
        protocol("exact", items=4, epsilon=1.0)
    with pytest.raises(ScenarioError, match="are those of the protocol exact"):
        ldptui.estimate("r.csv", "oue", items=4, epsilon=float("inf"))
