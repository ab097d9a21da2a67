"""A question of the lab, and its answer."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import structs

from ldptui.core.base.errors import LdpError, ScenarioError
from ldptui.core.scenario import Scenario

from ...session.snapshot import LabQuestion, Reply, Status
from ..wire import write
from .inbox import Inbox, NewerRequest, RunCancellation
from .libraries import declared_libraries, import_extras, import_for


class Answering:
    """The computation of one lab question in the worker."""

    def __init__(self, request: LabQuestion, inbox: Inbox, out: BinaryIO) -> None:
        self.request, self.inbox, self.out = request, inbox, out

    def work(self) -> None:
        """Compute the answer and send it; raises only exceptions that must end the worker."""
        write(self.out, started=self.request.key)
        try:
            with self.inbox.running(self.request):
                self._send("done", answer=self._answer())
        except NewerRequest:
            return
        except RunCancellation:
            self._send("partial")
        except Exception as error:
            if isinstance(error, ScenarioError):
                self._send("failed", error=error.rule, field=error.key)
            elif isinstance(error, LdpError):
                self._send("failed", error=str(error))
            else:
                sentence = f"{type(error).__name__}: {error}".strip(": ").splitlines()[0]
                self._send("failed", error=sentence, details=traceback.format_exc())

    def _answer(self) -> dict[str, Any]:
        """The document of the answer; progress is sent on the way."""
        from ...questions import asking, sheet
        from ...questions.inputs import Offers

        folder = Path(self.request.folder)
        if self.request.document is not None:
            scenario = Scenario(dict(self.request.document), "", folder)
            import_for(scenario)
            import_extras(declared_libraries(scenario, "extras"))
        steps = asking.steps({**structs.asdict(self.request), "folder": folder})
        while True:
            try:
                with self.inbox.interruptible():
                    progress = next(steps)
            except StopIteration as end:
                return sheet.encode_answer(end.value)
            if isinstance(progress, Offers):
                self._send("running", offers=progress)
            elif isinstance(progress, sheet.AnswerSheet):
                self._send("running", answer=sheet.encode_answer(progress))
            else:
                self._send("running", said=progress)

    def _send(self, status: Status, **more: Any) -> None:
        write(self.out, reply=Reply(self.request.key, status, **more))
