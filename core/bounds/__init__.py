"""Bounds on poisoning, and the plan of a collection that follows from them.

Our derivations are in `docs/theory.md`; a test verifies each of them.
"""
