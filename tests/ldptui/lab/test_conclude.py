"""The tab Conclude: what it shows is what `ldptui.conclude` says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.lab_screen import edit, go, lab, show_table
from support.lab_tabs import ask
from support.waiting import seen

import ldptui
from ldptui.core.reports import concluding
from ldptui.questions import reports_input
from ldptui.questions.choices import EXAMPLE

pytestmark = pytest.mark.filterwarnings("ignore:.*has reports for tests")

PATH = Path(ldptui.__file__).parent / "questions" / "examples" / EXAMPLE
OUE: Any = ldptui.protocol("oue", items=16, epsilon=1.0)


def test_reports_are_read_once_while_the_share_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    reports_input._hear_files.cache_clear()
    read, real = [], concluding.hear_reports

    def counted(*given: Any) -> Any:
        read.append(given)
        return real(*given)

    monkeypatch.setattr(concluding, "hear_reports", counted)
    for share in (0.01, 0.02, 0.03):
        ask("conclude", share=share)
    assert len(read) == 1
    ask("conclude", confidence=0.9)
    assert len(read) == 2


async def test_numbers_on_the_screen_are_those_of_the_library_as_beta_is_typed() -> None:
    async with lab((120, 40)) as (screen, _, pilot):
        await go(screen, pilot, "conclude")
        await show_table(screen, pilot)
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
