"""Changes of memories in, text for a person out."""
