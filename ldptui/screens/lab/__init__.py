"""The privacy lab: a tab a topic."""
