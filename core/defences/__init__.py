"""Defences: what the server does about fake users.

A verifier decides which reports users can send. A filter reads every report and decides which the
server keeps. An alarm reads the estimates, and claims an attack or none. A correction changes the
estimates, and knows of the users only what is in `ServerKnowledge`. Defences of numbers read the
counts of reports. Each is a frozen dataclass with `kind`, and a row of DEFENCES.
"""

from __future__ import annotations

from .alarms import Alarm, VerifiedRandomiser
from .corrections import project
from .defence_kinds import (
    ALARMS,
    CORRECTIONS,
    DEFENCES,
    FILTERS,
    VERIFIERS,
    Defence,
    correct_estimates,
)
from .guard import Guard
from .number_defences import NumberStep, TalliedReports
from .python_defences import PythonCorrection, PythonFilter
from .step import (
    Correction,
    Filter,
    Load,
    ServerKnowledge,
    TrialReports,
    Verdict,
    given_the_rest,
    inform_server,
)
