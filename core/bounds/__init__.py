"""Bounds on poisoning: the floors that users cannot lift, and the plan that follows from them.

We derive them; `docs/theory.md` has the derivations, and a test proves each of them again.
"""
