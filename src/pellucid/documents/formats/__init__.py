"""The text of a Markdown or reStructuredText file in, its headings, code, comments and plain words out."""
