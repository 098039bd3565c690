"""One memory or many in, memories remembered, shown, changed, trusted, aged, adopted or forgotten out."""
