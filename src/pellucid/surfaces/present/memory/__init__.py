"""What was done to memories in, text for a person out."""
