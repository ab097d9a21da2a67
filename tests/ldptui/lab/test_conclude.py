"""The tab Conclude: what it shows is what `ldptui.conclude` says."""

from __future__ import annotations

from typing import Any

import pytest
from support.lab_tabs import ask

from ldptui.core.reports import concluding
from ldptui.questions import reports_input

pytestmark = pytest.mark.filterwarnings("ignore:.*has reports for tests")


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
