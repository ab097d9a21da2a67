"""The options of the lab's topics, a dataclass each. Nothing here imports NumPy."""
