"""Break the program on purpose, one line at a time, and see that its tests notice.

Each file of mutants beside this one is a TOML table of lines of one room: the file, a text that
stands in it once, what replaces it, and the tests that have to fail then. Run by `make
test-mutants`; `ARGS="core/law planner"` takes the mutants whose file or text has one of the words.
A mutant whose line has moved is moved with it, and goes only with the line.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

ROOT = Path(__file__).parents[2]

NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "site", "dist")

PRELOADED = (
    "msgspec", "pydantic", "scipy.optimize", "scipy.special", "scipy.stats",
    "textual.pilot", "textual.widgets", "tomlkit",
)  # fmt: skip
"""What most tests import from others: loaded once, before a process is split off for a mutant."""

OUTPUT = ".output"
"""The file of a copy that holds what pytest printed; shown if it could not run."""

Outcome = Literal["killed", "survived", "not found", "no test", "error"]
"""The first alone is well: of the last ones the text or a test is gone, or pytest did not start."""


@dataclass(frozen=True)
class Mutant:
    """A wrong line of the program.

    file : its path in the tree. find, replace : a text that stands once in the file, and the wrong
    one. tests : files or folders of tests, in the order in which they are run until one fails.
    """

    file: str
    find: str
    replace: str
    tests: tuple[str, ...]

    @property
    def room(self) -> str:
        """The folder of the room, as core/law."""
        return "/".join(Path(self.file).parts[:2])

    def mutated_text(self, root: Path) -> str:
        """The text of the file with the wrong line; raises ValueError if the right one is gone."""
        path = root / self.file
        text = path.read_text("utf-8") if path.is_file() else ""
        if text.count(self.find) != 1:
            raise ValueError(f"{self.file} has {text.count(self.find)} times {self.find!r}")
        return text.replace(self.find, self.replace)


@dataclass(frozen=True)
class MutantResult:
    """What became of a mutant. killer : the first test that failed; seconds : processor time."""

    mutant: Mutant
    outcome: Outcome
    killer: str = ""
    seconds: float = 0.0


class FirstFailure:
    """A plug-in of pytest that writes the name of the first test that fails to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.path.exists():
            self.path.write_text(report.nodeid, "utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.path.exists():
            self.path.write_text(f"{report.nodeid} (collecting)", "utf-8")


def load_mutants(*words: str) -> list[Mutant]:
    """The mutants of all files, or those whose file or text has one of the words."""
    mutants = []
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        for row in tomllib.loads(path.read_text("utf-8"))["mutant"]:
            mutants.append(Mutant(**{**row, "tests": tuple(row["tests"])}))
    return [m for m in mutants if not words or any(word in m.file + m.find for word in words)]


def try_mutant(mutant: Mutant, copy: Path) -> MutantResult:
    """The result of the tests of one mutant, in a copy of the tree that is as before after it."""
    try:
        mutated = mutant.mutated_text(copy)
    except ValueError:
        return MutantResult(mutant, "not found")
    if not all((copy / test.partition("::")[0]).exists() for test in mutant.tests):
        return MutantResult(mutant, "no test")
    path, failure = copy / mutant.file, copy / ".first_failure"
    original, times = path.read_bytes(), path.stat()
    failure.unlink(missing_ok=True)
    before = os.times()
    try:
        path.write_text(mutated, "utf-8")
        process = multiprocessing.get_context("fork").Process(
            target=run_tests, args=(mutant.tests, copy, failure)
        )
        process.start()
        process.join()
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = os.times()
    seconds = after.children_user + after.children_system
    seconds -= before.children_user + before.children_system
    if failure.exists():
        return MutantResult(mutant, "killed", failure.read_text("utf-8"), seconds)
    if process.exitcode == pytest.ExitCode.OK:
        return MutantResult(mutant, "survived", seconds=seconds)
    print((copy / OUTPUT).read_text("utf-8", "replace"))
    return MutantResult(mutant, "error", f"exit code {process.exitcode}", seconds)


def run_tests(tests: tuple[str, ...], copy: Path, failure: Path) -> None:
    """Run the tests of the copy until one fails; ends this process with pytest's exit code."""
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    with (copy / OUTPUT).open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not long"]
    os._exit(pytest.main([*options, *tests], plugins=[FirstFailure(failure)]))


@contextmanager
def copied_tree() -> Iterator[Path]:
    """A copy of the tree, for as long as it is used."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(ROOT, copy, symlinks=True, ignore=NOT_COPIED)
        yield copy


def main(words: list[str]) -> int:
    """Try the mutants and print what became of each; 1 if one is not killed, else 0."""
    mutants = load_mutants(*words)
    for name in PRELOADED:
        importlib.import_module(name)
    results, started = [], time.perf_counter()
    with copied_tree() as copy:
        for mutant in mutants:
            result = try_mutant(mutant, copy)
            results.append(result)
            change = " ".join(mutant.find.split())[:60]
            where = f"{mutant.file}: {change}"
            print(f"{result.outcome:9} {result.seconds:5.1f} s  {where}", flush=True)
            if result.killer:
                print(f"{'':18} by {result.killer}", flush=True)
    outcomes = Counter((result.mutant.room, result.outcome) for result in results)
    for room in sorted({room for room, _ in outcomes}):
        counts = {outcome: count for (each, outcome), count in outcomes.items() if each == room}
        print(f"{room:20} " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    killed = sum(result.outcome == "killed" for result in results)
    seconds = sum(result.seconds for result in results)
    wall = time.perf_counter() - started
    print(f"{killed} of {len(results)} killed; {seconds:.0f} s of processor time in {wall:.0f} s")
    return int(killed < len(results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
