"""A document or a text in, the names of documents in it out: its own id, and the names and links of others."""
