"""Words, numbers, negation, hidden characters: what is known of languages, each thing once, each language a table."""
