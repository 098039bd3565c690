"""The limits of a question, apart from what reads it, which loads NumPy."""

MAX_CHARACTERS = 20_000
