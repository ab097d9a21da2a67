"""An attack and a defence for ldptui."""
