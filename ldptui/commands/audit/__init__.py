"""The audit of clients: how a client is named and run, and how what was found is told."""
