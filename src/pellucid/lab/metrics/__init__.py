"""Answers and labels in, metrics with their intervals out."""
