"""ldptui: a terminal workbench for local differential privacy and the attacks on it."""

__version__ = "0.1.0"
