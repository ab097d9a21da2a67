"""The view of two reports: whose they are, and what the keys do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.reactive import reactive

from ...charts.rows import Look, Row, centred
from .report_lives import life_rows
from .rows_view import RowsView

if TYPE_CHECKING:
    from ldptui.core.cell import Cell

    from ...explain.report_values import ReportHistory
    from ...session.draft import Draft

NOTHING: Final = "no valid scenario yet"

NO_ATTACK: Final = "The scenario has no attack. Choose one in pane 3 to see its report here."

NOT_HERE: Final = "The attack is Python code. It runs in the background process alone, never here."


class ReportView(Vertical):
    """One genuine and one fake report of `draft`, two columns where there is room for them.

    The same draws are kept while the scenario changes: what changes on the screen is what the
    change did.
    """

    DEFAULT_CSS = """
    ReportView { height: 1fr; }
    """
    BINDINGS = [  # noqa: RUF012
        Binding("n", "new_report", "New report", id="report.new"),
        Binding("w", "new_user", "New user", id="report.user"),
        Binding("i", "step_item(1)", "Next item", id="report.next"),
        Binding("I", "step_item(-1)", "Item before", show=False, id="report.previous"),
    ]

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)

    _report = 0  # the number of the draws, of this user's reports
    _user = 0  # the number of the user
    _item: int | None = None  # chosen by hand; None: what the user drew
    _lives: tuple[ReportHistory, ReportHistory | str] | None = None

    def compose(self) -> ComposeResult:
        yield RowsView(self._rows)

    def watch_draft(self) -> None:
        self._redraw()
        if self.is_mounted:
            self.refresh_bindings()

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002
    ) -> bool | None:
        """Switch the keys for another report off while there is none."""
        return self._has_report or action not in ("new_report", "new_user", "step_item")

    @property
    def _has_report(self) -> bool:
        cell = self.draft.cell if self.draft is not None else None
        if cell is None:
            return False
        from ...explain.family_explanation import reports_of

        return not isinstance(reports_of(cell), str)

    def action_new_report(self) -> None:
        """The same user with the same value: new randomness."""
        self._report += 1
        self._redraw()

    def action_new_user(self) -> None:
        """Another user, whose value is drawn from the population."""
        self._user += 1
        self._report, self._item = 0, None
        self._redraw()

    def action_step_item(self, by: int) -> None:
        """The same user and draws, with the next or the previous value."""
        lives = self.lives
        if lives is not None and self.draft is not None and self.draft.cell is not None:
            held = lives[0].item or 0
            self._item = (held + by) % self.draft.cell.population.domain_size
            self._redraw()

    @property
    def lives(self) -> tuple[ReportHistory, ReportHistory | str] | None:
        """The genuine user's report and the fake one's, or why there is none; None for neither."""
        cell = self.draft.cell if self.draft is not None else None
        if self._lives is None and cell is not None:
            # A campaign shows the reports of its most attacked round.
            self._lives = self._draw(cell.peak.of_user(self._user)) if self._has_report else None
        return self._lives

    def as_text(self) -> str:
        """The rows as plain text."""
        return self.query_one(RowsView).as_text()

    def _redraw(self) -> None:
        self._lives = None
        if self.is_mounted:
            self.query_one(RowsView).rebuild()

    def _draw(self, cell: Cell) -> tuple[ReportHistory, ReportHistory | str]:
        from ldptui.core.base.streams import stream

        from ...explain.example_users import fake_report, genuine_report, random_user

        seed, user = cell.seed, f"one report: user {self._user}"
        item = self._item
        if item is None or item >= cell.population.domain_size:
            item = random_user(cell, stream(seed, user, "population"))
        name = f"{user}, report {self._report}"
        # A client may keep permanent noise from one report to the next.
        kept = stream(seed, f"{user} keeps for {item}", "genuine")
        genuine = genuine_report(cell, item, stream(seed, name, "genuine"), kept)
        if cell.attack is None:
            return genuine, NO_ATTACK
        if cell.python_attacks:
            return genuine, NOT_HERE
        return genuine, fake_report(cell, stream(seed, name, "malicious"))

    def _why_none(self) -> str:
        """The reason why there is no report to show."""
        from ...explain.family_explanation import reports_of

        cell = self.draft.cell if self.draft is not None else None
        reports = NOTHING if cell is None else reports_of(cell.peak)
        return reports if isinstance(reports, str) else NOTHING

    def _rows(self, look: Look) -> list[Row]:
        lives = self.lives
        if lives is None:
            return centred(self._why_none(), look)
        return life_rows(*lives, look)
