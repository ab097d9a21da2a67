"""Attacks in phases: ramps, mixtures and muted phases over the rounds of a campaign."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldptui import core
from ldptui.core.attacks import Mixture, malicious_users
from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.metrics import plain
from ldptui.core.scenario import Ramp, line_of, parse
from ldptui.core.store import cell_keys
from ldptui.core.theory import expected_metrics

TEXT = """\
format = 1
[population]
kind = "counts"
counts = [4000, 3000, 2000, 600, 400]
[protocol]
kind = "oue"
epsilon = 1.0
[attack]
targets = { items = [3] }
[[attack.phase]]
rounds = 2
share = 0.1
mix = [ { kind = "ria", weight = 1 } ]
[[attack.phase]]
rounds = 4
share = { from = 0.05, to = 0.2 }
targets = { items = [4, 2] }
mix = [ { kind = "mga", weight = 3 }, { kind = "ria", weight = 1, targets = { items = [1] } } ]
[[attack.phase]]
rounds = 1
muted = true
share = 0.3
mix = [ { kind = "rpa", weight = 1 } ]
"""


def only(text: str = TEXT) -> Cell:
    (cell,) = core.compile(parse(text)).cells
    return cell


def test_phases_follow_each_other_and_then_there_are_no_fakes() -> None:
    cell = only(TEXT + "[campaign]\nrounds = 9\n")
    shares = [0.1, 0.1, 0.05, 0.1, 0.15, 0.2, 0, 0, 0]
    assert [collection.malicious for collection in cell.rounds] == [
        malicious_users(10_000, share) for share in shares
    ]
    assert [collection.attack is None for collection in cell.rounds] == [False] * 6 + [True] * 3
    assert cell.malicious == sum(collection.malicious for collection in cell.rounds)
    assert all(collection.targets.tolist() == [3] for collection in (cell, *cell.rounds))
    second = cell.rounds[3].fakes
    assert [fakes.targets.tolist() for fakes in second] == [[4, 2], [1]]
    assert [fakes.strategy.kind for fakes in second] == ["mga", "ria"]  # type: ignore[attr-defined]
    assert [fakes.count for fakes in second] == [833, 278]
    assert sum(fakes.count for fakes in cell.fakes) == cell.malicious


def test_without_a_campaign_there_are_as_many_rounds_as_in_the_phases() -> None:
    cell = only()
    assert len(cell.rounds) == 7
    assert cell.parameters["campaign.rounds"] == 7
    assert len(only(TEXT + "[campaign]\nchurn = 0.5\n").rounds) == 7


def test_the_metrics_count_the_targets_of_all_phases_where_the_attack_has_none() -> None:
    text = TEXT.replace("targets = { items = [3] }\n", "", 1)
    text = text.replace('{ kind = "ria", weight = 1 } ]', '{ kind = "ria", weight = 1, targets = '
                        "{ items = [2, 0] } } ]", 1)  # fmt: skip
    text = text.replace(
        'mix = [ { kind = "rpa"', 'targets = { items = [3] }\nmix = [ { kind = "rpa"'
    )
    assert only(text).targets.tolist() == [2, 0, 4, 3]


def test_muting_a_phase_changes_no_other_round() -> None:
    heard, muted = only(TEXT), only(TEXT.replace("rounds = 4", "rounds = 4\nmuted = true"))
    block, other = heard.block(0, 5), muted.block(0, 5)
    assert block.rounds is not None
    assert other.rounds is not None
    same = [0, 1, 6]
    assert np.array_equal(
        plain(block.rounds.metrics)[:, same], plain(other.rounds.metrics)[:, same], equal_nan=True
    )
    gains = other.rounds.metrics["gain"][:, 2:6]
    assert (gains == 0).all()
    assert (block.rounds.metrics["gain"][:, 2:6] != 0).all()
    assert expected_metrics(muted.rounds[3])["gain"] == 0


@pytest.mark.parametrize(
    ("ramp", "expected"),
    [
        (Ramp(0.1, 0.3), [0.1, 0.15, 0.2, 0.25, 0.3]),
        (Ramp(0.3, 0.0), [0.3, 0.225, 0.15, 0.075, 0.0]),
        (Ramp(0.01, 0.16, "exponential"), [0.01, 0.02, 0.04, 0.08, 0.16]),
        (Ramp(0.1, 0.3, "step", 2), [0.1, 0.1, 0.3, 0.3, 0.3]),
        (Ramp(0.1, 0.3, "step", 4), [0.1, 0.1, 0.1, 0.1, 0.3]),
    ],
    ids=["up", "down", "exponential", "step", "late step"],
)
def test_ramps(ramp: Ramp, expected: list[float]) -> None:
    found = [ramp.value(number, 5) for number in range(5)]
    assert found == pytest.approx(expected, rel=1e-14)
    assert (found[0], found[-1]) == (ramp.start, ramp.end)
    assert ramp.value(0, 1) == ramp.start


def test_parameters_and_sweeps_name_phases_and_parts() -> None:
    text = f"""{TEXT}
[sweep]
"attack.phase.1.share.to" = [0.1, 0.2]
"attack.phase.1.mix.0.weight" = [1, 3]
"campaign.churn" = [0.0, 0.5]
"""
    cells = core.compile(parse(text)).cells
    assert len(cells) == 8
    first, last = cells[0].parameters, cells[-1].parameters
    assert (first["attack.phase.1.share.to"], last["attack.phase.1.share.to"]) == (0.1, 0.2)
    assert first["attack.phase.1.share.from"] == 0.05
    assert first["attack.phase.0.share"] == 0.1
    assert first["attack.phase.2.muted"] is True
    assert last["attack.phase.1.mix.0.weight"] == 3
    assert first["attack.phase.1.mix.1.kind"] == "ria"
    assert "attack.phase.0.targets.items" not in first
    assert cells[0].rounds[5].malicious == malicious_users(10_000, 0.1)
    assert len(set(cell_keys(cells))) == 8
    mixture = cells[-1].rounds[2].attack
    assert isinstance(mixture, Mixture)
    assert mixture.share == 0.05


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("rounds = 4\n", "", "attack.phase.1.rounds is required", 14),
        ("rounds = 4", "rounds = 0", "attack.phase.1.rounds must be in [1, 1000], got 0", 15),
        ("rounds = 4", "rounds = 999", "attack.phase must have at most 1000 rounds", 10),
        ("share = 0.1", "share = 1.0", "attack.phase.0.share must be in [0, 1), got 1", 12),
        ("share = 0.1", "share = true", "attack.phase.0.share must be a number in [0, 1), got", 12),
        ("share = 0.1\n", "", "attack.phase.0.share is required", 10),
        ("from = 0.05, ", "", "attack.phase.1.share.from is required", 16),
        ("from = 0.05", "from = 1.5", "attack.phase.1.share.from must be in [0, 1), got 1.5", 16),
        ("to = 0.2 }", 'to = "x" }', 'attack.phase.1.share.to must be a number in [0, 1), got "x"',
         16),
        ("to = 0.2 }", 'to = 0.2, shape = "cubic" }',
         'attack.phase.1.share.shape must be "linear", "exponential" or "step", got "cubic"', 16),
        ("from = 0.05, to = 0.2", 'from = 0, to = 0.2, shape = "exponential"',
         "attack.phase.1.share.from must be greater than 0 where the shape is exponential, got 0",
         16),
        ("to = 0.2 }", 'to = 0.2, shape = "step" }',
         "attack.phase.1.share.at is required where the shape is step", 16),
        ("to = 0.2 }", "to = 0.2, at = 2 }",
         "attack.phase.1.share.at must be left out where the shape is linear, got 2", 16),
        ("to = 0.2 }", 'to = 0.2, shape = "step", at = 4 }',
         "attack.phase.1.share.at must be below the rounds of the phase, 4, got 4", 16),
        ("to = 0.2 }", "to = 0.2, too = 1 }",
         "attack.phase.1.share.too is not a known key (did you mean to?)", 16),
        ("muted = true", 'muted = "yes"',
         'attack.phase.2.muted must be true or false, got "yes"', 21),
        ("muted = true", "mutd = true",
         "attack.phase.2.mutd is not a known key (did you mean muted?)", 21),
        ('kind = "mga"', 'kind = "mgaa"', "attack.phase.1.mix.0.kind must be one of", 18),
        ("weight = 3", "weight = -3", "attack.phase.1.mix.0.weight must be at least 0, got -3", 18),
        ("items = [1] }", "items = [7] }",
         "attack.phase.1.mix.1.targets.items must be items from 0 to 4, got 7", 18),
        ("items = [4, 2]", "items = [4, 9]",
         "attack.phase.1.mix.0.targets.items must be items from 0 to 4, got 9", 18),
        ("targets = { items = [3] }\n", "",
         "attack.phase.0.mix.0.targets is required where attack.targets is not given", 12),
        ('[attack]\n', '[attack]\nkind = "mga"\n',
         "attack.kind is not a known key, only phase, targets", 9),
        ("[attack]\n", "[attack]\nshare = 0.1\n", "attack.share is not a known key", 9),
    ],
)  # fmt: skip
def test_errors_are_at_their_key_and_line(old: str, new: str, message: str, line: int) -> None:
    text = TEXT.replace(old, new, 1)
    assert text != TEXT
    with pytest.raises(ScenarioError) as caught:
        only(text)
    assert message in str(caught.value)
    assert line_of(text, caught.value.key) == line


def test_more_rounds_in_the_phases_than_in_the_campaign() -> None:
    text = TEXT + "[campaign]\nrounds = 6\n"
    with pytest.raises(ScenarioError, match="must be at least the rounds of all phases, 7, got 6"):
        only(text)


def test_goals_are_of_one_collection() -> None:
    text = TEXT + '[goal]\nmetric = "gain"\nat_least = 0.1\nover = "share"\n'
    with pytest.raises(ScenarioError, match="goal must be left out with rounds"):
        only(text)


@pytest.mark.parametrize("phases", [[], 5, [1], {}])
def test_phases_are_a_list_of_tables(phases: Any) -> None:
    from pathlib import Path

    document = {
        "format": 1,
        "population": {"kind": "counts", "counts": [1, 2]},
        "protocol": {"kind": "oue", "epsilon": 1.0},
        "attack": {"phase": phases},
    }
    with pytest.raises(
        ScenarioError, match=r"attack\.phase must (be a list of|be a table|list at)"
    ):
        core.compile(core.Scenario(document, "test", Path()))
