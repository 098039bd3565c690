"""Rows in, the ledger of a vault out: each row once, and no loss unnoticed."""
