"""Numbers, sentences and tables as text."""
