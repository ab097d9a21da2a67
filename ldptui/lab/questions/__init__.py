"""What each topic of the lab asks for, one file a topic. Nothing here imports NumPy."""
