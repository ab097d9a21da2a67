"""One folder a screen, its panes inside."""
