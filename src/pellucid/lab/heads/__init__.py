"""Labelled texts in, the weights of linear heads out: what reads a question's class and whether a sentence lasts."""
