"""The name of a thing in, its states over time and its neighbourhood in the graph out."""
