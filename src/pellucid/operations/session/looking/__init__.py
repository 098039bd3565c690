"""Sessions that were kept in, what they were and what was left out of them out."""
