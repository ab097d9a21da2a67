"""Every chart of ldptui plot: whole, as wide as a column, with nothing that is fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support.commands import TINY, Captured, succeed
from support.views import NUMBERS

from ldptui.charts.kinds import on_paper
from ldptui.session.exporting import read_figure

SWEPT: Final = '[sweep]\n"attack.share" = [0.05, 0.1]\n"protocol.kind" = ["grr", "oue"]\n'
ROUNDS: Final = "[campaign]\nrounds = 3\n"
NAMED: Final = '[task]\nkind = "heavy-hitters"\nk = 2\nbits = 3\ngroups = 2\n'
NEEDED: Final = {"map": SWEPT, "timeline": ROUNDS, "success": NAMED}
"""The lines that a scenario has for a chart, besides those of TINY."""
CHARTS: Final = [kind.name for kind in on_paper()]


def draw(tmp_path: Path, capsys: Captured, chart: str, suffix: str, columns: int) -> Path:
    """A chart of a tiny scenario, written by the command."""
    scenario = tmp_path / "tiny.toml"
    text = NUMBERS if chart == "distribution" else TINY + NEEDED.get(chart, "")
    scenario.write_text(text, encoding="utf-8")
    out = tmp_path / f"{chart}-{columns}{suffix}"
    options = ("--chart", chart, "--columns", str(columns), "--out", str(out), "--quiet")
    succeed(capsys, "plot", str(scenario), *options)
    return out


@pytest.mark.every(5)
@pytest.mark.parametrize("chart", CHARTS)
def test_every_chart_is_drawn_as_svg(tmp_path: Path, capsys: Captured, chart: str) -> None:
    out = draw(tmp_path, capsys, chart, ".svg", 1)
    text = out.read_text(encoding="utf-8")
    width = re.search(r'width="([\d.]+)pt"', text)
    assert width is not None
    assert float(width[1]) / 72 == pytest.approx(84 / 25.4, abs=0.01)
    assert (kept := read_figure(out)) is not None
    assert kept.digest.startswith("xxh3:")
    fetched = re.findall(r'(?:href|src)="(?!#|data:)|@font-face|@import', text)
    assert fetched == []


@pytest.mark.every(4)
@pytest.mark.parametrize("title", ["$$", r"$\frac$", r"50 $ or 60 $ \$"])
@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_a_title_is_text_and_no_formula(
    tmp_path: Path, capsys: Captured, title: str, suffix: str
) -> None:
    scenario, out = tmp_path / "tiny.toml", tmp_path / f"drawn{suffix}"
    scenario.write_text(TINY.replace('"Tiny"', f"'{title}'"), encoding="utf-8")
    succeed(capsys, "plot", str(scenario), "--out", str(out), "--quiet")
    if suffix == ".svg":
        assert title in out.read_text(encoding="utf-8")


def test_no_settings_but_ours_are_obeyed(tmp_path: Path, capsys: Captured) -> None:
    import matplotlib as mpl

    before = draw(tmp_path, capsys, "gain", ".svg", 1).read_bytes()
    others = {"text.usetex": True, "axes.facecolor": "red", "savefig.dpi": 1e9}
    with mpl.rc_context(others):
        assert draw(tmp_path, capsys, "gain", ".svg", 1).read_bytes() == before


@pytest.mark.long
@pytest.mark.every(4)
@pytest.mark.parametrize("settings", [b"\xff: 1\n", b"no colon\n", b"backend: nobody\n", None])
def test_a_settings_file_in_the_current_folder_is_not_read(
    tmp_path: Path, settings: bytes | None
) -> None:
    """Matplotlib reads a matplotlibrc there when it is imported; None: a pipe without a writer."""
    if settings is None:
        os.mkfifo(tmp_path / "matplotlibrc")
    else:
        (tmp_path / "matplotlibrc").write_bytes(settings)
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    command = [sys.executable, "-m", "ldptui", "plot", "tiny.toml", "--out", "o.svg", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True,
                          timeout=60 if settings is None else None)  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
