"""The privacy panel: its numbers are the core's, its chart is bounded, its rows fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.chart_cases import QUICK
from support.sheet_app import SheetApp

from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.mechanism import is_a
from ldptui.core.protocols import KINDS
from ldptui.core.protocols import rappor as bloom
from ldptui.explain import kept_answers
from ldptui.screens.workbench.charts.tabs import tabs_of
from ldptui.screens.workbench.privacy_view import PrivacyView
from ldptui.session import draft as drafts
from ldptui.text.format import short
from ldptui.widgets.plot import ChartView

TEXT = QUICK.replace('kind = "oue"\nepsilon = 1.0', 'kind = "rappor"\nf = 0.5')


@pytest.mark.every(3)
@pytest.mark.parametrize("charset", ["braille", "ascii"])
@pytest.mark.parametrize("size", [(78, 18), (74, 29), (138, 52)])
async def test_the_panel_fits(size: tuple[int, int], charset: str) -> None:
    app = SheetApp(PrivacyView, drafts.draft_of(TEXT, Path()), charset)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        view = app.view
        text = view.as_text()
        assert text.isascii() == (charset == "ascii")
        assert "reverse of Wang's" in " ".join(text.split())
        assert "nan" not in text.lower()
        assert all(len(line) <= size[0] for line in text.splitlines())
        chart = view.query_one(ChartView)
        assert chart.chart is not None
        before = view.draft
        view.draft = drafts.edit_key(before, "protocol.kind", "oue")
        await pilot.pause()
        assert chart.chart is None
        assert "keep an answer" in " ".join(view.as_text().split())


KEEPING = [kind for kind, spec in KINDS.items() if is_a(spec.mechanism, Memoising)]


@pytest.mark.parametrize("kind", KEEPING)
def test_every_kind_that_keeps_an_answer_says_what_that_costs(kind: str) -> None:
    """ε of the first report really, of many, and ε∞; the published calibration spends less."""
    text = TEXT if kind == "rappor" else QUICK.replace('kind = "oue"', f'kind = "{kind}"')
    draft = drafts.draft_of(text, Path())
    one = draft.cell
    assert one is not None
    protocol = one.protocol
    assert isinstance(protocol, Memoising)
    said = {
        number.label: number
        for group in kept_answers.number_groups(one, protocol)
        for number in group.numbers
    }
    first = protocol.epsilon_of_rounds(1)
    assert said["the first report, really"].value == short(first)
    assert said["all reports of an item"].value == short(protocol.epsilon_infinity)
    assert said["100 reports"].value == short(protocol.epsilon_of_rounds(100))
    assert "100 ε₁" in said["100 reports"].why
    if kind == "rappor":
        noise = one.protocol.noise  # type: ignore[attr-defined]
        assert said["q*"].value == short(noise.q_star)
        assert said["p*"].value == short(noise.p_star)
        assert said["of a rare frequency"].value == short(
            bloom.count_std(noise, 2, one.users) / one.users, 3
        )
    plot = kept_answers.rounds_plot(protocol)
    ((bound, _),) = plot.levels
    grown, fresh = (list(series.y) for series in plot.series)
    assert grown == pytest.approx(sorted(grown))
    assert grown[0] == fresh[0] == pytest.approx(first)
    assert max(grown) <= bound * (1 + 1e-12)
    assert "privacy" in dict(tabs_of(draft))


@pytest.mark.parametrize(
    ("table", "number", "value", "why"),
    [
        ('kind = "l-grr"\ncalibration = "published"', "the first report, really", "",
         "less than ε = 1, which was asked for"),
        ('kind = "rappor"\nform = "basic"\nf = 0.0', "all reports of an item", "unbounded",
         "nothing is kept: averages undo the noise"),
    ],
)  # fmt: skip
def test_what_an_answer_costs_is_said_of(table: str, number: str, value: str, why: str) -> None:
    text = QUICK.replace('kind = "oue"', table)
    one = drafts.draft_of(text.replace("epsilon = 1.0\n", "") if "f =" in table else text, Path())
    assert one.cell is not None
    assert isinstance(one.cell.protocol, Memoising)
    groups = kept_answers.number_groups(one.cell, one.cell.protocol)
    (found,) = [each for each in groups[0].numbers if each.label == number]
    assert found.why == why
    assert found.value.startswith(value)
