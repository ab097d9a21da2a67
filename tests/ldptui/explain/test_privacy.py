"""The privacy panel: its numbers are the core's, its chart is bounded, its rows fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.cases import attack, cell
from support.chart_cases import QUICK
from support.sheet_app import SheetApp

from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.mechanism import is_a
from ldptui.core.protocols import KINDS
from ldptui.core.protocols import rappor as bloom
from ldptui.explain import example_users
from ldptui.explain import rappor_privacy as privacy
from ldptui.screens.workbench.charts.tabs import tabs_of
from ldptui.screens.workbench.privacy_view import PrivacyView
from ldptui.session import draft as drafts
from ldptui.text.format import percent, short
from ldptui.widgets.plot import ChartView

FULL = {"kind": "rappor", "bits": 128, "hashes": 2, "cohorts": 16, "f": 0.5, "p": 0.5, "q": 0.75}
FORMS: list[dict[str, Any]] = [
    FULL,
    {"kind": "rappor", "form": "one-time", "f": 0.3},
    {"kind": "rappor", "form": "basic", "f": 0.0, "p": 0.5, "q": 0.75},
    {"kind": "rappor", "form": "basic-one-time", "f": 0.5},
]
every_form = pytest.mark.parametrize("table", FORMS, ids=lambda one: one.get("form", "full"))


def bound(table: dict[str, Any], **more: Any) -> Cell:
    return cell([600_000, 300_000, 100_000, 0], table, **more)


def facts(one: Cell) -> dict[str, str]:
    return {
        fact.symbol or fact.label: fact.value
        for group in privacy.groups(one, one.protocol)
        for fact in group.facts
    }


@every_form
def test_every_number_is_the_cores(table: dict[str, Any]) -> None:
    one = bound(table, attack=attack("mga", 0.1, [2]))
    noise, h, found = one.protocol.noise, one.protocol.hashes, facts(one)
    assert privacy.subject(one) == 2  # the target
    assert privacy.subject(bound(table)) == 0  # the most frequent item
    assert found["ε₁"] == short(noise.epsilon_one(h))
    assert found["sent v's bits, but lacks v"] == percent(bloom.false_attribution(noise, h, 0.1))
    kept = bloom.permanent_false_attribution(noise, h, 0.1)
    assert found["keeps them, but lacks v"] == percent(kept)
    assert found["keeps no bit of v's"] == percent(bloom.signal_lost(noise, h))
    assert found["σ"] == short(bloom.count_std(noise, h, 10**6) / 10**6, 3)
    learnt = bloom.learnable_items(noise, 10**6, 4, h)
    assert found["strings learnable, at most"] == short(learnt, 3)
    assert (found["ε∞"] == "unbounded") == (noise.f == 0)


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
        assert "What each number buys" in text
        assert "nan" not in text.lower()
        assert all(len(line) <= size[0] for line in text.splitlines())
        chart = view.query_one(ChartView)
        assert chart.chart is not None
        assert (chart.region.x > 0) == (size[0] >= 110)
        before = view.draft
        view.draft = drafts.edit_key(before, "protocol.kind", "oue")
        await pilot.pause()
        assert chart.chart is None
        assert "keep an answer" in " ".join(view.as_text().split())


KEEPING = [
    kind for kind, spec in KINDS.items()
    if is_a(spec.mechanism, Memoising) and not hasattr(spec, "noise")
]  # fmt: skip


@pytest.mark.parametrize("kind", KEEPING)
def test_every_kind_that_keeps_an_answer_says_what_that_costs(kind: str) -> None:
    """ε of the first report really, of many, and ε∞; the published calibration spends less."""
    draft = drafts.draft_of(QUICK.replace('kind = "oue"', f'kind = "{kind}"'), Path())
    one = draft.cell
    assert one is not None
    assert one.memory is not None
    said = {
        fact.label: fact for group in example_users.groups(one, one.memory) for fact in group.facts
    }
    first = one.memory.epsilon_of_rounds(1)
    assert said["the first report, really"].value == short(first)
    assert said["all reports of an item"].value == short(one.memory.epsilon_infinity)
    assert said["100 reports"].value == short(one.memory.epsilon_of_rounds(100))
    assert "100 ε₁" in said["100 reports"].why
    plot = example_users.rounds_plot(one.memory)
    ((bound, _),) = plot.levels
    grown, fresh = (list(series.y) for series in plot.series)
    assert grown == pytest.approx(sorted(grown))
    assert grown[0] == fresh[0] == pytest.approx(first)
    assert max(grown) <= bound * (1 + 1e-12)
    assert "privacy" in dict(tabs_of(draft))


def test_a_report_that_costs_less_than_asked_for_says_so() -> None:
    published = 'kind = "l-grr"\ncalibration = "published"'
    one = drafts.draft_of(QUICK.replace('kind = "oue"', published), Path()).cell
    assert one is not None
    assert one.memory is not None
    first = example_users.groups(one, one.memory)[0].facts[0]
    assert first.why == "less than ε = 1, which was asked for"
    assert float(first.value) < 1
