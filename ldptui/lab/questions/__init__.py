"""The questions of the lab, one file a topic. Nothing here imports NumPy."""
