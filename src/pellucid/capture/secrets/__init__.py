"""Text in, the same text without its secrets out: one module a kind of secret, and who tells them from prose."""
