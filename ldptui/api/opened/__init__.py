"""Collections that are opened in the workbench: a tab's answer each, about the same reports."""
