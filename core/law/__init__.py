"""Distributions of reports, their support of items, and their privacy loss."""
