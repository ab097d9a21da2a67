"""What the pane shows of a draft and its run, and the words about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ....catalogue import key_label, key_words
from ....charts.chart_data import ChartData
from ....session.cell_table import address_of, same_settings
from ....session.runs import describe_scenario
from ....session.scenario_file import claim_of
from ....text.format import count, percent, short
from ....text.swept import setting_words, sweep_verdict, where_words
from ....text.verdict import VerdictCell, verdict

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario
    from ldptui.core.view import CellView

    from ....charts.kinds import ChartKind
    from ....session.draft import Draft
    from ....session.snapshot import Overlay, Snapshot

LOADING: Final = "loading …"
FIRST: Final = "waiting for the first trials …"
NO_ESTIMATE: Final = "no estimate yet: {} runs the scenario"
INVALID: Final = "this scenario is not valid yet"
FAILED: Final = "the run failed: {}"
OTHER: Final = "not the present settings"
SWEPT: Final = ("gain", "error", "success", "map", "table")
"""The tabs that show all cells of a sweep."""


class ChartInput(Struct, frozen=True):
    """The input of the charts: the draft, the run shown, overlaid runs, and the round or cell at
    the cursor.

    cursor : a round of the campaign, from 0; None if all rounds are pooled.
    at : the draft of the cell at a chart's cursor, None without one.
    at_keys : the keys in which it differs from the draft.
    marked : True if the estimates are marked as of other settings than the draft's.
    run_key : the key that runs the scenario.
    """

    draft: Draft | None = None
    snapshot: Snapshot | None = None
    overlays: tuple[Overlay, ...] = ()
    cursor: int | None = None
    at: Draft | None = None
    at_keys: tuple[str, ...] = ()
    marked: bool = False
    run_key: str = "^r"

    @property
    def scenario(self) -> Scenario | None:
        return self.draft.scenario if self.draft is not None else None

    @property
    def data(self) -> ChartData:
        """The data that the charts are drawn from."""
        words = self.cell_words
        return ChartData(self.scenario, self.snapshot, self.overlays, self.cursor, words)

    @property
    def base(self) -> CellView | None:
        """The cell whose frequencies are shown."""
        return self.snapshot.base_cell if self.snapshot is not None else None

    @property
    def cell(self) -> CellView | None:
        """The cell at the cursor of a chart; until it is measured, the cell shown before."""
        measured = None if self.snapshot is None else self.snapshot.cell_at_cursor
        wanted = self.at.cell if self.at is not None else None
        if measured is None or wanted is None:
            return None
        left = tuple(key.removesuffix("kind") for key in self.at_keys)  # a kind has its own keys
        there, here = (
            address_of({key: value for key, value in settings.items() if not key.startswith(left)})
            for settings in (measured.parameters, wanted.parameters)
        )
        return measured if there == here else None

    @property
    def cell_words(self) -> str:
        """The cell that is shown in place of the draft's, such as "OUE β 0.05"; "" for the draft's
        cell.
        """
        cell = self.cell
        if cell is None:
            return ""
        keys = sorted(self.at_keys, key=lambda key: not key.endswith(".kind"))
        return " ".join(setting_words(cell.parameters, keys))

    def waits_for(self, kind: ChartKind) -> str:
        """The sentence shown in place of a chart without numbers, with what is being computed."""
        run = self.snapshot
        if not kind.waiting or run is None or not run.frequencies:
            return self.empty
        if run.status == "running" and run.latest:
            return f"{kind.waiting.removesuffix(' …')}: {run.latest}"
        return kind.waiting

    @property
    def round_words(self) -> str:
        """The round that is shown: its number, its share of fakes and the ε spent so far."""
        rounds, at = self.data.rounds, self.cursor
        many = len(rounds) if rounds is not None else 0
        if rounds is None or at is None or at >= many:
            return f"all {many} rounds"
        share, spent = percent(rounds.share[at]), short(rounds.spent[at])
        return f"round {at} of 0–{many - 1} · β {share} · ε {spent}"

    @property
    def stale(self) -> bool:
        """True if the settings of the run differ from those of the draft."""
        cell = self.draft.cell if self.draft is not None else None
        if cell is None or self.base is None:
            return False
        return not same_settings(self.base.parameters, cell.parameters)

    @property
    def result(self) -> str:
        """The title of the result: the run, its cell, trials and sweep; "" if there is no run.

        For a preview: the cells and trials of a full run; after an edit: "STALE: …". How many
        trials are done of a run that goes on, the status line says.
        """
        run, base = self.snapshot, self.base
        if run is None or base is None or not base.trials:
            return ""
        name = f"run {run.kept}" if run.kept is not None else "run" if run.full else "preview"
        trials = f"{count(base.trials)} trial{'s' * (base.trials != 1)}"
        if self.marked:
            return self._stale_result(name, trials)
        here = f" · at {words}" if (words := self.cell_words) else ""
        is_over = run.full and run.status != "running"
        plain, scenario = f"{name}{f' · {trials}' * is_over}{here}", self.scenario
        if scenario is None or not scenario.sweep or (run.full and len(run.cells) < 2):
            return plain
        swept, many = describe_sweep(scenario.sweep), count(scenario.cells)
        if run.full:
            return f"{name}{f' · {many} × {trials}' * is_over}{here} · {swept}"
        each = count(int(scenario.document.get("trials", base.trials)))
        return f"{plain} · {self.run_key} runs {many} × {each}"

    @property
    def is_outdated(self) -> bool:
        """True if the run is stale, or if the draft is invalid and cannot be simulated."""
        return self.stale or (self.invalid and self.base is not None)

    @property
    def invalid(self) -> bool:
        """True if the draft has problems."""
        return self.draft is not None and bool(self.draft.problems)

    def _stale_result(self, name: str, trials: str) -> str:
        """The name of a result with other settings; for an invalid draft the last valid
        scenario.
        """
        if self.draft is None or not self.draft.problems or self.scenario is None:
            return f"STALE: {name}, other settings · {trials}"
        return f"STALE: last valid {describe_scenario(self.scenario.document)} · {trials}"

    @property
    def claim(self) -> str:
        """The claim of the scenario's file, marked "before your edits" after an edit; "" if the
        file has none, and over a kept run of other settings.
        """
        claim = claim_of(self.draft.text) if self.draft is not None else ""
        is_of_kept = self.marked and self.snapshot is not None and self.snapshot.kept is not None
        if not claim or self.draft is None or is_of_kept:
            return ""
        edited = f" of {self.draft.name}, before your edits" * self.draft.is_modified
        return f"Claim{edited}: {claim}"

    def verdict(self, chart: str) -> tuple[str, ...]:
        """The sentence about the result of the cell shown or of the sweep; empty before the first
        trials and for a run of other settings.

        chart : the name of the tab that shows them.
        """
        told = self.verdict_cell
        if told is None or self.marked or self.stale:
            return ()
        run, scenario = self.snapshot, self.scenario
        if run is not None and run.full and scenario is not None and scenario.sweep:
            cells = run.table.grid(scenario.sweep, {})
            if chart in SWEPT and (over_sweep := sweep_verdict(cells, list(scenario.sweep))):
                return over_sweep
        return verdict(told, chart, most=1)

    @property
    def tells(self) -> bool:
        """True if there are sentences about the cell shown, also if its settings are not the
        draft's.
        """
        return self.verdict_cell is not None and bool(verdict(self.verdict_cell, most=1))

    @property
    def verdict_cell(self) -> VerdictCell | None:
        """The cell that the result sentences are about: the one at a cursor, else the draft's."""
        if (cell := self.cell) is not None and self.snapshot is not None:
            return VerdictCell(cell, self.snapshot.at_cell)
        if self.base is None:
            return None
        swept = self.scenario.sweep if self.scenario is not None else {}
        where = where_words(self.base.parameters, [*swept]) if swept else ""
        return VerdictCell(self.base, self.data.frequencies, (), where, self.data.rounds)

    @property
    def note(self) -> str:
        """The note below charts whose estimates belong to other settings than the draft's; "" if
        they do not.
        """
        return OTHER if self.marked else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons to doubt the results, a sentence each."""
        return () if self.base is None or self.stale else self.base.warnings

    @property
    def empty(self) -> str:
        """The sentence shown in place of a run's charts: why there are none, and which key to
        press.
        """
        snapshot = self.snapshot
        if snapshot is not None and snapshot.status == "failed":
            return FAILED.format(snapshot.error or "5 says why")
        if snapshot is not None and snapshot.status == "running":
            return FIRST
        if self.draft is None or self.draft.unread is not None:
            return LOADING
        if self.scenario is None:
            first = (f"{key_label(each.key)} {each.message}" for each in self.draft.problems[:1])
            return ": ".join((INVALID, *first))
        # Every valid scenario has a preview: it is on its way, or it was stopped.
        return FIRST if snapshot is None else NO_ESTIMATE.format(self.run_key)


def describe_sweep(sweep: Mapping[str, Sequence[object]]) -> str:
    """The swept keys in words, numeric ones with their smallest and largest value: `ε 0.1…4 ×
    protocol`.
    """
    return " × ".join(
        f"{key_words(key).short} {ends(values)}" if _numbers(values) else key_words(key).short
        for key, values in sweep.items()
    )


def ends(values: Sequence[object]) -> str:
    """The values of a sweep in words: numbers by the smallest and largest, few words each, many
    words by their number.
    """
    numbers = _numbers(values)
    if numbers:
        ends_of = (numbers[0], numbers[-1])
        texts = [count(end) if end.is_integer() and end < 1e6 else short(end) for end in ends_of]
        return "…".join(dict.fromkeys(texts))
    words = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return " ".join(words) if len(words) <= 3 else f"{len(words)} values"


def _numbers(values: Sequence[object]) -> list[float]:
    """The values of a sweep as floats; empty if they are not all numbers."""
    numbers = [
        float(value)
        for value in values
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return numbers if len(numbers) == len(values) else []
