"""The one check of somebody's code: its purpose, its runs, and what breaks them."""

from pathlib import Path

import pytest

from ldptui.core.plugins import check_plugin, find_purpose

CODE = """
import numpy as np

class Attack:
    def reports(self, protocol, view, count, rng):
        return protocol.perturb(np.full(count, view.targets[0]), rng)

def attack(protocol, view, count, rng, *, much=1.0):
    return protocol.random_reports(count, rng)

def short(protocol, view, count, rng):
    return protocol.random_reports(count - 1, rng)

def correction(frequencies, known):
    return frequencies

def drifting(frequencies, known):
    return frequencies + np.random.default_rng().random()

def sieve(received):
    return np.ones(received.users, dtype=bool)

def error(frequencies, facts):
    return ((frequencies - facts.truth) ** 2).mean()

def even(items):
    return np.ones(items)

def changing(items):
    return np.random.default_rng().random(items)

def bare(items, epsilon):
    from ldptui.core import GRR
    return GRR(items, epsilon)
"""


@pytest.mark.parametrize(
    ("name", "what", "broken"),
    [
        ("Attack", "attack", ""),
        ("attack", "attack", ""),
        ("short", "attack", "the reports of attack"),
        ("correction", "defence", ""),
        ("drifting", "defence", "the same numbers again"),
        ("sieve", "defence", ""),
        ("error", "metric", ""),
        ("even", "population", ""),
        ("changing", "population", "the same numbers again"),
    ],
)
def test_code_of_every_purpose_is_told_and_run(
    name: str, what: str, broken: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    code = find_purpose(f"{path}:{name}")
    assert code.what == what
    runs = [*check_plugin(code, 6, 1.0)]
    failed = [run for run in runs if not run.holds]
    assert len(failed) == (2 if broken else 0)
    assert all(broken in f"{run.promise} {run.detail}" for run in failed)
    assert broken or len(runs) == 4


def test_other_code_is_a_protocol(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    assert find_purpose(f"{path}:bare").what == "protocol"
