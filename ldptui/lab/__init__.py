"""The privacy lab without a screen: ldptui accuracy, disclose, check and ledger.

Each command computes a dict of plain values, which is what JSON shows, and lays it out as a table
of (quantity, value, formula, source).
"""
