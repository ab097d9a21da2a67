"""The runs that are kept: how they are recorded, shown, replayed, shared and compared."""
