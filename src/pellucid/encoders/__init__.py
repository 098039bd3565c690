"""Text in, vectors and token codes out: the embedding ports and their adapters."""
