"""The state of a session: the draft, the runs, the one that is shown. No Textual."""
