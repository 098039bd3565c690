"""Lines of a context and a chat model in, fewer or reworded lines out, held against what they were made of."""
