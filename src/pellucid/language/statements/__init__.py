"""A statement in, what it says out: its frames, what it denies, and whether it can hold beside another."""
