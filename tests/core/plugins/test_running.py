"""Attacks in Python at work: their options, their law, their rounds, the example."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import experiment
from support.plugin_cases import (
    HONEST,
    asking,
    attack_file,
    permitted,
    reports,
)

from ldptui.core import plugins
from ldptui.core.base.errors import AttackError
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.running.runner import run

# Running.

CLASSES = """
from __future__ import annotations
from dataclasses import dataclass, field

@dataclass(frozen=True)
class Fixed:
    item: int = 0
    def reports(self, protocol, view, count, rng):
        import numpy as np
        return protocol.perturb(np.full(count, self.item), rng)

ready = Fixed(2)

class Plain:
    def __init__(self, item=0): self.item = item
    reports = Fixed.reports

class Instance:
    reports = staticmethod(lambda protocol, view, count, rng: protocol.random_reports(count, rng))
instance = Instance()

def function(protocol, view, count, rng, *, item=0):
    return Fixed(item).reports(protocol, view, count, rng)

number = 3
"""


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Fixed", {"item": 4}), ("ready", {"item": 4}), ("Plain", {"item": 4}),
        ("function", {"item": 4}),
    ],
)  # fmt: skip
def test_functions_classes_and_instances_take_options(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    one = permitted(CLASSES, name, tmp_path, **options)
    made = reports(one, count=4)
    expected = one.protocol.perturb(np.full(4, 4), np.random.default_rng(0))
    assert made.tobytes() == expected.tobytes()
    unset = reports(permitted(CLASSES, name, tmp_path), count=4)
    assert unset.tobytes() != expected.tobytes()


def test_an_instance_of_any_class(tmp_path: Path) -> None:
    assert reports(permitted(CLASSES, "instance", tmp_path)).shape == (5, 1)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("number", {}, "attack 'number' must be a function or have a method reports, got int"),
        ("instance", {"x": 1}, "attack 'instance' must be a function or a dataclass to have optio"),
        ("Fixed", {"itm": 1}, "attack 'Fixed' raised TypeError: Fixed.__init__() got an unexpect"),
        ("function", {"itm": 1}, "attack 'function' raised TypeError: function() got an unexpec"),
        ("ready", {"itm": 1}, "attack 'ready' raised TypeError: Fixed.__init__() got an unexpect"),
    ],
)
def test_what_is_no_attack(
    name: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(AttackError) as error:
        reports(permitted(CLASSES, name, tmp_path, **options))
    assert str(error.value).startswith(message)


@pytest.mark.long
def test_the_same_numbers_wherever_it_runs(tmp_path: Path) -> None:
    """Its draws come from the addressed streams, whoever computes them and in what order."""
    path, mark = attack_file(tmp_path)
    allowed = CodePermission(files=(path,))
    whole = experiment(attack=asking("honest"), trials=25, sweep={"protocol.epsilon": [1.0, 2.0]})
    digests = set()
    for workers in (1, 2):
        mark.unlink(missing_ok=True)
        *_, last = run(permit_code(whole, allowed), workers)
        assert last.results.complete
        assert mark.exists()
        digests.add(last.results.digest)
    moved, _ = attack_file(tmp_path, "# cosmetic\n" + HONEST, "moved.py")
    *_, last = run(permit_code(whole, CodePermission(files=(moved,))))
    assert digests == {last.results.digest}


# Rounds, and the example.

SPY = """
def spy(protocol, view, count, rng):
    seen = view.published
    with open(LOG, "a") as log:
        print(view.round, view.rounds, seen is None or (len(seen), seen.flags.writeable), file=log)
    return protocol.random_reports(count, rng)
"""


def test_in_a_campaign_it_sees_what_was_published_last(tmp_path: Path) -> None:
    log = tmp_path / "log"
    path, _ = attack_file(tmp_path, f"LOG = {str(log)!r}\n{SPY}")
    asks = experiment(attack=asking("spy"), trials=1, campaign={"rounds": 3})
    whole = permit_code(asks, CodePermission(files=(path,)))
    assert whole.cells[0].python_code == (("attack", "spy"),)
    (source,) = plugins.code_locations(whole, CodePermission(files=(path,)))
    assert source.place == path
    whole.cells[0].block(0, 1)
    assert log.read_text().splitlines() == ["0 3 True", "1 3 (5, False)", "2 3 (5, False)"]
