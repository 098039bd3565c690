"""A finished recall in, compact bytes without any text out, and back."""
