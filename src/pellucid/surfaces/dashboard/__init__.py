"""A browser in, pages of one's own memory out: what the operations answer, drawn for a person who looks."""
