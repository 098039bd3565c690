"""Texts in, vectors and token codes out: the default encoder, its files and its graph."""
