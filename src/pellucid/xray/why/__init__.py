"""A memory and a question in, what lost it and what would admit it out."""
