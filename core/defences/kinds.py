"""The table of defences: every kind that a scenario can name, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..sampling import Floats
from .correction import Correction, Known
from .likelihood import BayesianUpdate, MaximumLikelihood
from .norms import NoCorrection, Norm, Normalisation, NormCut, NormMul, NormSub
from .recover import Recover, RecoverTargets
from .rsn import RobustNormSub
from .thresholds import BaseCut, Significance

DEFENCES: Final[dict[str, type[Any]]] = {
    "none": NoCorrection,
    "normalise": Normalisation,
    "norm": Norm,
    "norm-mul": NormMul,
    "norm-cut": NormCut,
    "norm-sub": NormSub,
    "base-cut": BaseCut,
    "significance": Significance,
    "rsn": RobustNormSub,
    "ldprecover": Recover,
    "ldprecover-star": RecoverTargets,
    "ml": MaximumLikelihood,
    "ibu": BayesianUpdate,
}
"""Every kind, in the order in which it is shown."""


def corrected(frequencies: Floats, corrections: Sequence[Correction], known: Known) -> Floats:
    """The frequencies after each correction in turn."""
    for correction in corrections:
        frequencies = correction.correct(frequencies, known)
    return frequencies
