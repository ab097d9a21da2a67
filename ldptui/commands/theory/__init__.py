"""`ldptui theory`: closed forms at one setting, each with its source."""
