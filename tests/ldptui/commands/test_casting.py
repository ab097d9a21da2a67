"""A film of the workbench in asciinema's format."""

from __future__ import annotations

import json
from pathlib import Path

import pyte
import pytest
from support.workbench_app import own_home  # noqa: F401

from ldptui.commands import cli
from ldptui.commands.casting import Film


def test_a_film_is_a_header_and_a_line_a_frame(capsys: pytest.CaptureFixture[str]) -> None:
    film = Film()
    film.frames = [(1.0, "load"), (2.0, "é"), (2.5, "bb"), (3.5, "c"), (9.0, "after")]
    film.began, film.ended, film.title = 1.5, 4.0, "T"
    head, *lines = map(json.loads, film.lines((80, 24)))
    assert head == {
        "version": 2, "width": 80, "height": 24, "title": "T", "env": {"TERM": "xterm-256color"},
    }  # fmt: skip
    assert lines == [[0.0, "o", "load"], [0.5, "o", "é"], [1.0, "o", "bb"], [2.0, "o", "c"]]
    assert film.most == 4  # bytes from 2.0 to 3.0
    for wrong in ("80", "8x24", "80x24x9", "axb"):
        assert cli.main(["record-cast", "--out", "x.cast", "--size", wrong]) == 2
        assert f"got {wrong!r}" in capsys.readouterr().err
    assert not Path("x.cast").exists()


@pytest.mark.long
def test_the_quickstart_on_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "quickstart.cast"
    assert cli.main(["record-cast", "--out", str(out), "--size", "80x24"]) == 0
    said = capsys.readouterr().err
    assert float(said.split("at most ")[1].split(" kB")[0]) <= 40
    head, *lines = map(json.loads, out.read_text("utf-8").splitlines())
    times = [when for when, _, _ in lines]
    assert times == sorted(times)
    assert len({int(20 * when) for when in times if when > 1}) <= 20 * times[-1]
    screen = pyte.Screen(head["width"], head["height"])
    stream, shares = pyte.Stream(screen), []
    for _, kind, data in lines:
        assert kind == "o"
        stream.feed(data)
        shares += [row.split("β ")[1].split()[0] for row in screen.display if "of 11 ·" in row]
    played = [round(0.02 * step, 2) for step in range(11)]
    assert [*map(float, dict.fromkeys(shares))] == pytest.approx(played)
