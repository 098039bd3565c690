"""The words of a question in, the dates and the period they name out."""
