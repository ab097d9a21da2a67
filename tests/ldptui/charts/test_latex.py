"""Figures in PGF: written without LaTeX, read by every LaTeX."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldptui.charts.draw.lettering import _in_latex
from ldptui.charts.draw.paper import write_figure
from ldptui.charts.series import Axis, Plot, Series


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("share of fake users β", r"share of fake users \ensuremath{\beta}"),
        ("privacy budget ε ≤ 1", r"privacy budget \ensuremath{\varepsilon} \ensuremath{\leq} 1"),
        ("a_b & {c} #1 $5 95 %", r"a\_b \& \{c\} \#1 \$5 95 %"),
        ("C:\\x ~ 1…2", r"C:\textbackslash{}x \textasciitilde{} 1\dots{}2"),
        ("10⁻³ x₁", r"10\ensuremath{^{-}}\ensuremath{^{3}} x\ensuremath{_{1}}"),
        (r"\ensuremath{-}0.5 Δ", r"\ensuremath{-}0.5 \ensuremath{\Delta}"),
        (r"$\mathdefault{10^{-2}}$", r"$\mathdefault{10^{-2}}$"),
        ("ascii and é", "ascii and é"),
    ],
)  # fmt: skip
def test_every_sign_of_a_text_is_one_that_latex_knows(text: str, expected: str) -> None:
    assert _in_latex(text) == expected


def test_a_figure_is_one_file_that_needs_no_latex_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("PATH", str(tmp_path))  # without LaTeX
    xs = tuple(range(1, 501))  # as many as are a picture in other formats
    series = (Series("a_b", xs, xs, "series-0", "points"),)
    chart = Plot("Chart", Axis("β", log=True), Axis("gain & more"), series, note="95 %")
    write_figure(chart, tmp_path / "a.pgf", columns=1, caption="costs $5", embedded="kept")
    pgf = (tmp_path / "a.pgf").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["a.pgf"]
    assert pgf.startswith("% kept\n\\begingroup%\n")
    assert "/" not in pgf  # nor a path of this machine
    assert pgf.isascii()
    named = (r"%a\_b}", r"gain \& more}", r"\ensuremath{\beta}}")
    for text in (*named, r"%Chart; 95 %}", r"%costs \$5}"):
        assert text in pgf.replace(r"\active\def%{\%}", "%"), text
