"""The task of frequencies: the share of the users with each item of a domain."""

from __future__ import annotations

from .frequencies_task import Frequencies, collect_estimates, trial_estimates

TASKS = (Frequencies,)
