"""Bound scenarios: their cells, the attack on each collection, size limits, and answers to
goals.
"""

from .experiment import (
    Experiment,
    bind,
    bound,
    compile,
)
