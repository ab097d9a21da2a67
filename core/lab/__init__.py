"""The privacy lab: analyses that need no simulation."""
