"""A ranking in, the text that a model reads out: within a budget, cited, nothing that breaks out of it."""
