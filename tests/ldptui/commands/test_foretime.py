"""A run over a large domain says how long it takes before it starts."""

from __future__ import annotations

from pathlib import Path
from queue import Empty

import pytest
from support.commands import TINY, Captured

from ldptui.commands import cli, progress
from ldptui.commands.runs import keeping
from ldptui.core.experiment import compile
from ldptui.core.running import foretime
from ldptui.core.running.runner import Progress
from ldptui.core.scenario import parse


@pytest.fixture(autouse=True)
def few_items_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foretime, "LARGE", 8)
    monkeypatch.setattr(foretime, "SMALL", 4)
    monkeypatch.setattr(keeping, "LONG_S", 0.0)


def seconds(text: str) -> float | None:
    return foretime.expected_seconds(compile(parse(text, "my.toml")))


def test_the_time_grows_with_blocks_items_and_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foretime, "_block_seconds", lambda *_: 4.0)  # a second an item
    assert seconds(TINY) == 8
    assert seconds(TINY.replace("trials = 4", "trials = 41")) == 24
    assert seconds(f"{TINY}[campaign]\nrounds = 5\n") == 40
    assert seconds(f'{TINY}[sweep]\n"attack.share" = [0.1, 0.2]\n') == 16


def test_the_foretold_time_is_printed_where_it_is_known(tmp_path: Path, capsys: Captured) -> None:
    assert seconds(TINY.replace("items = 8", "items = 7")) is None
    assert seconds(f'{TINY}[simulate]\npath = "reports"\n') is None
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    assert cli.main(["run", str(path), "--no-store"]) == 0
    assert "note: this takes up to about" in capsys.readouterr().err
    assert cli.main(["run", str(path), "--no-store", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_a_long_block_counts_its_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    class Slow:
        """A queue in which nothing is for a while."""

        def __init__(self) -> None:
            self.left = 2

        def get(self, timeout: float) -> Progress:
            assert timeout <= 1
            self.left -= 1
            if self.left >= 0:
                raise Empty
            return block

    class Line:
        say = staticmethod(said.append)
        step_s = 0.0

    block = Progress(None, 20, 40, 70.0)  # type: ignore[arg-type]
    times = iter([0.0, 1.0, 65.0, 70.0, 70.0, 71.0, 72.0, 73.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    line = Line()
    assert progress._next(Slow(), line) is block  # type: ignore[arg-type]
    assert said == ["1.0 s in this block", "1 min 05 s in this block"]
    progress._next(Slow(), line)  # type: ignore[arg-type]
    assert said[2:] == ["1.0 s of 1 min 10 s in this block", "2.0 s of 1 min 10 s in this block"]
