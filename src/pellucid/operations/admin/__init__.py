"""A home in, its condition out: what is broken, what is overdue, and which models it has."""
