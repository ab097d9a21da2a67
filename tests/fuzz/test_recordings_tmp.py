"""A recording that a stranger has changed: refused in one sentence, or a run as any other."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commands import TINY, Captured, succeed
from support.forging import forged

from ldptui.commands import cli

FEW, MANY = 25, 400

KEPT = {
    "tiny": TINY,
    "campaign": TINY.replace('kind = "uniform"\nitems = 8\nusers = 500',
                             'kind = "csv"\npath = "c.csv"\ncolumn = "a"')
    + "[campaign]\nrounds = 2\n",
    "goal": TINY.replace("share = 0.1", "") + '[goal]\nmetric = "gain"\nat_least = 0.5\n',
    "defended": TINY + '[[defence]]\nkind = "norm-sub"\n',
}  # fmt: skip

COMMANDS = (
    "runs show 1",
    "runs export 1 --out {folder}/o.ldptui",
    "runs export 1 --format json --out {folder}/o.json",
    "runs export 1 --format csv-cells --out {folder}/o.csv",
    "compare 1 1",
    "replay 1",
)


@contextmanager
def long_integers() -> Iterator[None]:
    """Integers of any length may be written: who forges a file has no limit."""
    most = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(most)


def recordings(folder: Path, capsys: Captured) -> list[bytes]:
    store = folder / "first.sqlite3"
    (folder / "c.csv").write_text("a\n" + "x\ny\nz\nz\nw\n" * 20, encoding="utf-8")
    made = []
    for number, (name, text) in enumerate(KEPT.items(), 1):
        scenario, path = folder / f"{name}.toml", folder / f"{name}.ldptui"
        scenario.write_text(text, encoding="utf-8")
        succeed(capsys, "run", str(scenario), "--quiet", "--store", str(store))
        succeed(capsys, "runs", "export", str(number), "--out", str(path), "--store", str(store))
        made.append(path.read_bytes())
    return made


def run(seeds: range, folder: Path, capsys: Captured) -> None:
    whole = recordings(folder, capsys)
    ended: Counter[tuple[str, int]] = Counter()
    for seed in seeds:
        draw, store, path = random.Random(seed), folder / "own.sqlite3", folder / "forged.ldptui"
        with long_integers():
            path.write_bytes(forged(draw.choice(whole), draw))
        for command in (f"runs import {path}", *COMMANDS):
            words = command.format(folder=folder).split(" ")
            code = cli.main([*words, "--store", str(store)])
            said = capsys.readouterr()
            assert code in (0, 1, 2, 3), (seed, command, said.err)
            assert "\x1b" not in said.out + said.err
            ended[words[0] + words[1], code] += 1
            if command.startswith("runs import") and code:
                assert len(said.err.splitlines()) == 1, (seed, said.err)
                break
        store.unlink(missing_ok=True)
    assert ended["runsimport", 0] > 0  # forgeries that are all refused, or none, test nothing
    assert ended["runsimport", 3] > len(seeds) // 4


def test_forged_recordings(tmp_path: Path, capsys: Captured) -> None:
    run(range(FEW), tmp_path, capsys)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # 1e300 squared
def test_many_forged_recordings(tmp_path: Path, capsys: Captured) -> None:
    run(range(FEW, MANY), tmp_path, capsys)
