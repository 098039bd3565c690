"""A memory or many in, what became of them out: kept, looked at, changed, trusted, aged, adopted, forgotten."""
