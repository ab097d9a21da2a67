"""Parts that several tests share: cases, laws, the false-alarm budget, fake parts of the app."""
