"""The privacy lab: what needs no simulation."""
