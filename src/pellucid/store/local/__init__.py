"""Records in, files and three SQLite databases out: the backend of one machine."""
