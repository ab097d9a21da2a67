"""Words and scores for each item: the error of its estimate, the verdicts of tests, other runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ldptui.core.view import Estimates, Frequencies

from ...session.snapshot import Overlay
from ...text import format as fmt
from ..series import Finding, Tone


def standard_errors(frequencies: Frequencies) -> tuple[float, ...]:
    """The errors of the estimates shown: the closed-form σ of the mean of the trials.

    Unlike the deviation over the trials it is exact from the first trial on, and does not jump
    while they come in.
    """
    root = math.sqrt(max(1, frequencies.trials))
    return tuple(sigma / root for sigma in frequencies.attacked.sigma)


def scores(frequencies: Frequencies, *, clean: bool = False) -> tuple[float, ...]:
    """The `score` of each item, after the attack or before it."""
    arm = frequencies.clean if clean else frequencies.attacked
    return tuple(score(frequencies, arm, at) for at in range(len(frequencies.true)))


def score(frequencies: Frequencies, arm: Estimates, at: int) -> float:
    """(estimate - true) / σ of the item at this place, σ the closed form's of the mean of trials.

    Standard normal for an unbiased estimate. NaN where σ is 0.
    """
    off, sigma = arm.mean[at] - frequencies.true[at], arm.sigma[at]
    return off / sigma * math.sqrt(max(1, frequencies.trials)) if sigma > 0 else math.nan


def trials_note(trials: int, *, compact: bool = False, note: str = "") -> str:
    """The kind of an estimate and of its error; `compact` in few words. `note` : for the first."""
    error = "± σ" if trials == 1 else "± std error" if compact else "± standard error"
    if note:
        return f"{note}; {error}"
    return f"{'one trial' if trials == 1 else f'mean of {fmt.count(trials)} trials'} {error}"


OVERLAID: Final[tuple[Tone, ...]] = ("series-2", "series-3", "series-4", "series-5")
"""The tones of the runs that are laid over the one shown; more cannot be told apart."""


def overlaid(
    overlays: Sequence[Overlay], items: Sequence[int]
) -> tuple[list[tuple[str, Tone, Frequencies]], str]:
    """Label, tone and frequencies of the runs over the same items; who else there is, in words."""
    laid: list[tuple[str, Tone, Frequencies]] = []
    strange = []
    for overlay, tone in zip(overlays, OVERLAID, strict=False):
        frequencies = overlay.snapshot.frequencies
        if frequencies is not None and frequencies.trials and frequencies.items == tuple(items):
            laid.append((overlay.label, tone, frequencies))
        else:
            strange.append(overlay.label)
    which = ", ".join(strange)
    return laid, f"{which}: other items" if strange else ""


def shown_estimates(frequencies: Frequencies) -> Sequence[float]:
    """The estimates that matter: after the attack where there is one."""
    return frequencies.attacked.mean if frequencies.targets else frequencies.clean.mean


def joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def target_places(frequencies: Frequencies) -> list[int]:
    """The positions of the targets among the items shown."""
    place = {item: at for at, item in enumerate(frequencies.items)}
    return [place[item] for item in frequencies.targets if item in place]


def findings(frequencies: Frequencies) -> tuple[Finding, ...]:
    """The verdict of the tests on each item, in half of the trials or more; "" where none is made.

    An item that nobody holds and that is not detected has no verdict either.
    """
    if frequencies.detected is None:
        return tuple("" for _ in frequencies.true)

    def finding(share: float, true: float) -> Finding:
        if share >= 0.5:
            return "detected" if true > 0 else "false"
        return "missed" if true > 0 else ""

    return tuple(map(finding, frequencies.detected, frequencies.true))


def findings_note(frequencies: Frequencies) -> str:
    """The number of held candidates that were detected, in words; "" where nothing is tested."""
    if frequencies.detected is None or len(frequencies.true) < frequencies.domain_size:
        return ""
    verdicts = findings(frequencies)
    held = sum(1 for true in frequencies.true if true > 0)
    return f"{verdicts.count('detected')} of {held} detected, {verdicts.count('false')} falsely"
