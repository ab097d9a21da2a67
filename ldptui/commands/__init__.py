"""The command line: its parser, and the commands that need no screen, each one a module."""
