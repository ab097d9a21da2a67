"""Reports of real users, screened for fakes: from an array or from files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.files import Source
from ..lab.screening import Screened, memory, screened
from ..law.mechanism import check_estimates
from ..law.moments import Unbiased
from ..law.pure import LocalMechanism, Reports
from .arguments import local, reports_of
from .files import read_reports
from .memory import bounded_batches, check_memory, expected_reports
from .sources import check_rows, kept

AT_ONCE: Final = 1 << 16
"""Reports that are screened at once."""


def check_screenable(protocol: LocalMechanism) -> Any:
    """The protocol; raises ScenarioError where nothing tells its honest reports."""
    check_estimates(local(protocol), "protocol.kind")
    if not isinstance(protocol, Unbiased):
        rule = "must not be one whose noise has no closed form: nothing tells its honest reports"
        raise ScenarioError(rule, key="protocol.kind")
    return protocol


def screen_reports(
    reports: Reports | Sequence[Source], protocol: LocalMechanism, trials: int
) -> Screened:
    """The verdicts of all screens on reports; raises LdpError.

    trials : the simulated collections of each filter that its rates are measured on, at most.
    """
    pure, need = check_screenable(protocol), partial(memory, protocol)
    if isinstance(reports, np.ndarray):
        made = reports_of(reports, protocol)
        check_memory(len(made), need, "reports")
        batches = range(0, len(made), AT_ONCE)
        return screened(lambda: (made[at : at + AT_ONCE] for at in batches), pure, trials=trials)
    check_rows(reports, "reports")
    check_memory(expected_reports(reports) or 0, need, "reports")
    with kept(reports) as again:
        return screened(
            lambda: bounded_batches(read_reports(again, protocol), need, "reports"),
            pure,
            trials=trials,
        )
