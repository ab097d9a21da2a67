"""The tab Conclude: what it shows is what `ldptui.conclude` says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.lab_screen import edit, go, lab
from support.lab_tabs import ask
from support.waiting import seen

import ldptui
from ldptui.charts.series import Bars, Plot
from ldptui.core.base.errors import ScenarioError
from ldptui.questions import reports_input
from ldptui.questions.choices import EXAMPLE

pytestmark = pytest.mark.filterwarnings("ignore:.*has reports for tests")

PATH = Path(ldptui.__file__).parent / "questions" / "examples" / EXAMPLE
OUE: Any = ldptui.protocol("oue", items=16, epsilon=1.0)


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_the_tab_has_the_intervals_of_the_library(share: float) -> None:
    claims = ["12 > 15", "9 in top 4"]
    answer = ask("conclude", share=share, claims=claims)
    found = ldptui.conclude(PATH, OUE, share=share, claims=claims)
    order = np.argsort(-found.estimates, kind="stable").tolist()
    columns = (found.estimates, found.naive_low, found.naive_high, found.low, found.high)
    for row, item in zip(answer.table.rows, order, strict=True):
        assert row[0] == str(item)
        assert row[1:6] == pytest.approx([column[item] for column in columns])
    # β* of a lead is the gap of supports between an item and the next one, as shares.
    gaps = -np.diff(OUE.p * found.estimates[order] + OUE.q * (1 - found.estimates[order]))
    assert [row[6] for row in answer.table.rows[:-1]] == pytest.approx(gaps, abs=1e-12)
    assert answer.table.rows[-1][6] is None
    shares = [each.overturning.share for each in found.claims]
    bars = answer.charts[1]
    assert isinstance(bars, Bars)
    assert [bar.value for bar in bars.bars[:2]] == pytest.approx(shares)
    assert found.floor is not None
    assert f"at least {100 * found.floor.share:.1f} %" in " ".join(answer.words)


def test_intervals_are_drawn_from_end_to_end_and_widen() -> None:
    widths = []
    for share in (0.0, 0.02, 0.1):
        plot = ask("conclude", share=share).charts[0]
        assert isinstance(plot, Plot)
        naive, robust = plot.series
        found = ldptui.conclude(PATH, OUE, share=share)
        order = np.argsort(-found.estimates, kind="stable")[:10]
        ends = np.array(robust.y).reshape(-1, 3)
        assert ends[:, 0] == pytest.approx(found.low[order])
        assert ends[:, 1] == pytest.approx(found.high[order])
        assert naive.error == pytest.approx((found.naive_high - found.naive_low)[order] / 2)
        assert naive.y == pytest.approx(found.estimates[order])
        widths.append(ends[:, 1] - ends[:, 0])
    assert (widths[0] < widths[1]).all()
    assert (widths[1] < widths[2]).all()


def test_reports_are_read_once_while_the_share_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    reports_input._hear_files.cache_clear()
    read, real = [], reports_input.hear_reports

    def counted(*given: Any) -> Any:
        read.append(given)
        return real(*given)

    monkeypatch.setattr(reports_input, "hear_reports", counted)
    for share in (0.01, 0.02, 0.03):
        ask("conclude", share=share)
    assert len(read) == 1
    ask("conclude", confidence=0.9)
    assert len(read) == 2


@pytest.mark.parametrize(
    ("values", "name", "rule"),
    [
        ({"claims": ["apple > 1"]}, "claims", 'must name items of the domain, got "apple"'),
        ({"claims": ["1 >"]}, "claims", "must have an item or a number at the end"),
        ({"share": 1.0}, "share", r"must be in \[0, 1\), got 1"),
        ({"protocol": "she"}, "protocol", "must not be"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(values: Any, name: str, rule: str) -> None:
    with pytest.raises(ScenarioError, match=rule) as caught:
        ask("conclude", **values)
    assert caught.value.key == name


async def test_numbers_on_the_screen_are_those_of_the_library_as_beta_is_typed() -> None:
    async with lab((120, 40)) as (screen, _, pilot):
        await go(screen, pilot, "conclude")
        for share in (0.02, 0.05):
            await edit(screen, pilot, "share", share)
            found = ldptui.conclude(PATH, OUE, share=share)
            for item in np.argsort(-found.estimates)[:5].tolist():
                row = re.search(rf"│{item}  +([\de. -]+?) *[▁-█]?│", seen(screen.app))
                assert row is not None
                read = [float(number) for number in row[1].split()[:5]]
                columns = (
                    found.estimates,
                    found.naive_low,
                    found.naive_high,
                    found.low,
                    found.high,
                )
                assert read == pytest.approx([each[item] for each in columns], abs=1e-4)
