"""The sweep of every bundled scenario: its keys and its size are on the screen at 120 columns."""

from __future__ import annotations

from msgspec.structs import replace
from support.fake_engine import base_snapshot

from ldptui import scenarios
from ldptui.catalogue import key_words
from ldptui.screens.workbench.charts.shown import ChartInput
from ldptui.screens.workbench.parameters_pane import ParametersPane
from ldptui.session.draft import Draft, draft_of, open_draft, sweep_of
from ldptui.text.format import count

WIDE, BESIDE = 103, 57
"""The cells of the title of the charts at 120 columns: alone, and beside the forms."""
FOLDED = 25
"""The cells of the line of the folded form beside its name."""


def drafts() -> list[Draft]:
    texts = [scenarios.path(name).read_text(encoding="utf-8") for name in scenarios.names()]
    drafts = [draft_of(text, scenarios.path("quickstart").parent) for text in texts]
    return [draft for draft in drafts if sweep_of(draft)]


def test_every_sweep_is_seen() -> None:
    for draft in drafts():
        assert draft.scenario is not None
        keys = [key_words(key).short for key in sweep_of(draft)]
        cells, asked = count(draft.scenario.cells), draft.scenario.document["trials"]
        live = ChartInput(draft, base_snapshot(1))
        whole = replace(base_snapshot(1), full=True, kept=3)
        run = ChartInput(draft, replace(whole, cells=whole.cells * 2))
        for shown, size in ((live, f"{cells} × {asked}"), (run, f"{cells} × 20 trials")):
            assert size in shown.result[:BESIDE], shown.result
        assert all(key in run.result[:WIDE] for key in keys), run.result
        pane = ParametersPane()
        pane.draft = draft
        assert "↔" in pane.setting[:FOLDED], pane.setting


def test_a_title_says_the_size_of_a_sweep_and_then_its_keys() -> None:
    run = base_snapshot(1)
    run = replace(run, full=True, kept=3, cells=run.cells * 2)
    text = scenarios.path("cao-gain-beta").read_text(encoding="utf-8")
    draft = draft_of(text, scenarios.path("quickstart").parent)
    words = "run 3 · 90 × 20 trials · protocol × attack × β 0.001…0.1"
    assert ChartInput(draft, run).result == words


def test_no_claim_of_a_scenario_stands_over_a_kept_run_of_other_settings() -> None:
    draft = open_draft(scenarios.path("quickstart"))
    for kept, marked, said in ((None, True, True), (3, False, True), (3, True, False)):
        shown = ChartInput(draft, replace(base_snapshot(1), kept=kept), marked=marked)
        assert shown.claim.startswith("Claim: ") == said
