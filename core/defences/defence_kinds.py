"""The table of defences: every kind that a scenario can name, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from ..base.sampling import Floats
from .alarms import ASD, History, VerifiedRandomiser
from .corrections import (
    BaseCut,
    NoCorrection,
    Norm,
    Normalisation,
    NormCut,
    NormMul,
    NormSub,
    Power,
    Recover,
    RecoverTargets,
    RobustNormSub,
    Significance,
)
from .diffstats import Diffstats
from .fiad import FIAD
from .floor import CertifiedFloor
from .guard import Guard
from .likelihood import BayesianUpdate, Conditional, MaximumLikelihood
from .number_defences import Misfit, PoisonComponent, Trim
from .pairs import Pairs
from .python_defences import PythonCorrection, PythonFilter
from .step import Correction, ServerKnowledge, Step

VERIFIERS: Final[dict[str, type[Any]]] = {"verified-randomiser": VerifiedRandomiser}
"""The kinds that decide what users can send."""

FILTERS: Final[dict[str, type[Any]]] = {
    "fiad": FIAD,
    "diffstats": Diffstats,
    "conditional": Conditional,
    "ldpguard": Guard,
    "pairs": Pairs,
    "floor": CertifiedFloor,
}
"""The kinds that read every report."""

ALARMS: Final[dict[str, type[Any]]] = {"asd": ASD, "history": History}
"""The kinds that claim an attack, and change nothing."""

OF_NUMBERS: Final[dict[str, type[Any]]] = {
    "misfit": Misfit,
    "trim": Trim,
    "em-poison": PoisonComponent,
}
"""The kinds that read how many reports of numbers there are of each kind."""

CORRECTIONS: Final[dict[str, type[Any]]] = {
    "none": NoCorrection,
    "normalise": Normalisation,
    "norm": Norm,
    "norm-mul": NormMul,
    "norm-cut": NormCut,
    "norm-sub": NormSub,
    "base-cut": BaseCut,
    "significance": Significance,
    "power": Power,
    "rsn": RobustNormSub,
    "ldprecover": Recover,
    "ldprecover-star": RecoverTargets,
    "ml": MaximumLikelihood,
    "ibu": BayesianUpdate,
}
"""The kinds that change the estimates."""

PYTHON: Final[dict[str, type[Any]]] = {
    "plugin": PythonCorrection,
    "plugin-filter": PythonFilter,
}
"""The kinds whose code is somebody's."""

DEFENCES: Final = {
    **CORRECTIONS,
    **FILTERS,
    **ALARMS,
    **VERIFIERS,
    **OF_NUMBERS,
    **PYTHON,
}
"""Every kind, in the order in which it is shown."""

Defence: TypeAlias = Step


def correct_estimates(
    frequencies: Floats, corrections: Sequence[Correction], known: ServerKnowledge
) -> Floats:
    """The frequencies float64[trials, d] after each correction in turn."""
    for correction in corrections:
        frequencies = correction.correct(frequencies, known)
    return frequencies
