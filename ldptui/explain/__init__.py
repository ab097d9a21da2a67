"""What a kind says of itself: formulas, one report step by step, equations, privacy."""
