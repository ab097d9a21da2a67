"""Pane 3: the attack, as a form, a mixture or phases."""
