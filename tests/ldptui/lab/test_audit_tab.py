"""The tab Audit: clients side by side, as the library audits them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.lab_tabs import ask, steps_of

import ldptui
from ldptui.core.base.errors import ScenarioError
from ldptui.questions.sheet import Answer

BROKEN = Path(__file__).parents[3] / "examples" / "broken"


def test_the_tab_says_what_the_library_says(tmp_path: Path) -> None:
    items = np.arange(9000) % 6
    reports = ldptui.protocol("grr", 6, epsilon=1.0).perturb(items, np.random.default_rng(0))
    rows = zip(items, reports, strict=True)
    (tmp_path / "pairs.csv").write_text("item,report\n" + "".join(f"{v},{r}\n" for v, r in rows))
    own = f"{BROKEN / 'grr_spares_0.py'}:Client"
    answer = ask("audit", folder=tmp_path, clients=["grr", own, "pairs.csv", ""], kind="grr",
                 items=6, samples=9000)  # fmt: skip
    found = ldptui.audit("grr", own, tmp_path / "pairs.csv", kind="grr", epsilon=1.0, items=6,
                         samples=9000)  # fmt: skip
    assert [row[1] for row in answer.table.rows] == ["not refuted", "BROKEN", "not refuted"]
    (bars,) = answer.charts
    assert [bar.value for bar in bars.bars] == [each.epsilon_low for each in found.clients]
    assert {bar.true for bar in bars.bars} == {1.0}
    assert [bar.target for bar in bars.bars] == [False, True, False]
    assert any("of item 0" in sentence for sentence in answer.verdict)


def test_the_first_client_is_shown_while_others_are_audited() -> None:
    steps = steps_of("audit", clients=["grr", "sue"], items=4, samples=4000)
    shown = [step for step in steps if isinstance(step, Answer)]
    assert [len(answer.table.rows) for answer in shown] == [1]


@pytest.mark.parametrize(
    ("values", "key", "rule"),
    [
        ({"clients": []}, "clients.0", "must be named"),
        ({"clients": ["", "grr", "nothing"]}, "clients.1", "must be one of"),
        ({"clients": ["none.csv"]}, "clients.0", "must be a file"),
        ({"clients": ["none.py:Client"]}, "clients.0", "must be a file"),
        ({"clients": ["./client --epsilon 1"]}, "clients.0", "must be one of"),
        ({"items": 10**9}, "items", "must be in"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(values: dict[str, object], key: str, rule: str) -> None:
    with pytest.raises(ScenarioError, match=rule) as caught:
        ask("audit", **values)
    assert caught.value.key == key
