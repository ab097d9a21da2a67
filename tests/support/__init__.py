"""What several tests need: cases, laws, the false-alarm budget, fake parts of the app."""
