"""What an operation answered in, lines for a person out: one module a group of commands."""
