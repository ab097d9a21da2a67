"""The dialogs: small screens that ask one thing."""
