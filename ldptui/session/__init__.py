"""What is worked on: the draft, the runs, what is shown. No Textual."""
