"""Every word about keys, kinds and metrics, once."""
