"""An attack, a defence, a protocol and a population for ldptui."""
