"""A question or an earlier recall in, its context, its receipt or what can be said of it out."""
