"""The words of a question in, what they ask for out: depth, class, dates, things, edges, smaller questions."""
