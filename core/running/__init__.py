"""Runs experiments: searches for goals and trials, in this process or in others."""
