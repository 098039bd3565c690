"""The words of a question in, its class out: tables of phrases, and phrasings counted."""
