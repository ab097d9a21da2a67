"""An attack, a defence, a protocol, a population and a metric for ldptui."""
