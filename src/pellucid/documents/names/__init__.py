"""A document or a text in, what documents are called out: their own ids, and the names and links that mean others."""
