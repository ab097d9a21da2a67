"""A scenario bound: its cells, the attack on each collection, limits, and the answers to goals."""

from .experiment import (
    Experiment,
    bind,
    bound,
    compile,
)
