"""Runs experiments: their goals' searches and their trials, where that is computed, how long."""
