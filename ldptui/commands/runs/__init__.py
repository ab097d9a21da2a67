"""The runs that are kept: how they are made, shown, replayed, shared and compared."""
