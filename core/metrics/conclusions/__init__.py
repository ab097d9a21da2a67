"""The conclusions of the server, a file for each kind, with the metrics that belong to it."""
