"""Instruments: measure a server, and get rows that the ledger accepts."""
