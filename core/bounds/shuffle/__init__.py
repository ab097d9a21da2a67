"""The central privacy of a shuffled collection of local reports, bounded from both sides."""
