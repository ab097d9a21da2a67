"""An attack, a defence and a protocol for ldptui."""
