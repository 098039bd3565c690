"""Files in which other tools keep what they remember in, the memories they hold out: one file a format."""
