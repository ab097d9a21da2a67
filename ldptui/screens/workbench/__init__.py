"""The workbench: protocol, parameters, attack, charts, and the runs."""
