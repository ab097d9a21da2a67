"""One report of heavy hitters is about a prefix of the user's group."""

import numpy as np
import pytest
from support.hitters import GRR, OLH, hitter_cell_of, hitters_cell

COUNTS = [400, 300, 200, 100, 50, 20, 10, 0]
ATTACK = {"kind": "mga", "share": 0.1, "targets": {"items": [7, 3]}, "seeds": 5}


@pytest.mark.parametrize("protocol", [OLH, GRR])
def test_a_user_is_asked_about_the_prefix_of_the_group(protocol: object) -> None:
    task = {"k": 3, "bits": 8, "groups": 4}
    cell = hitters_cell(COUNTS, task, ATTACK, protocol=protocol)
    prefixes = hitter_cell_of(cell).prefixes
    for number in range(5):
        level = number % 4
        asked = cell.task.ask_user(cell, number)
        assert asked.population.users == cell.users
        for item in range(8):
            prefix = int(prefixes.cut(prefixes.codes[[item]], level)[0])
            label = f"{prefix:0{prefixes.lengths[level]}b}, group {level + 1} of 4"
            assert label in (asked.population.labels or ())
        named = {asked.population.label(target)[: prefixes.lengths[level]]
                 for target in asked.targets.tolist()}  # fmt: skip
        cut = prefixes.cut(prefixes.codes[[7, 3]], level)
        assert named == {f"{int(each):0{prefixes.lengths[level]}b}" for each in cut}
        assert asked.fakes[0].targets.tolist() == asked.targets.tolist()
        rng = np.random.default_rng(0)
        assert len(asked.local.perturb(np.array([0]), rng)) == 1
