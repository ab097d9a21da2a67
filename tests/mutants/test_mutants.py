"""Each mutant of `make test-mutants` still has its line and its tests, and changes something."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mutants.run import ROOT, Mutant, load_mutants

LEAST = 120


def test_each_mutant_has_its_line() -> None:
    lost = []
    for mutant in load_mutants():
        try:
            mutated = mutant.mutated_text(ROOT)
        except ValueError as error:
            lost.append(str(error))
        else:
            assert mutated != (ROOT / mutant.file).read_text("utf-8"), mutant
    assert not lost, (
        "Mutants are moved with their lines (`file` and `find` in tests/mutants/*.toml), and go "
        "with them alone:\n" + "\n".join(lost)
    )


def test_each_mutant_has_its_tests() -> None:
    named = {test.partition("::")[0] for mutant in load_mutants() for test in mutant.tests}
    gone = sorted(test for test in named if not (ROOT / test).exists())
    assert not gone, "tests/mutants/*.toml name tests that are gone: " + ", ".join(gone)


def test_no_mutant_stands_twice_and_there_are_enough() -> None:
    mutants = load_mutants()
    twice = [key for key, n in Counter((m.file, m.replace) for m in mutants).items() if n > 1]
    assert not twice
    assert len(mutants) >= LEAST


def test_a_lost_line_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("p - q\np - q\n", "utf-8")
    for mutant in (Mutant("a.py", "p - q", "q - p", ()), Mutant("b.py", "p", "q", ())):
        with pytest.raises(ValueError, match=r"has [02] times"):
            mutant.mutated_text(tmp_path)
