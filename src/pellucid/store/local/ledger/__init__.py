"""Rows in, the ledger of a vault out, each row once and none lost unseen."""
