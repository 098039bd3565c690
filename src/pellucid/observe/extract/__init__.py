"""The turns of a segment in, what they state out: sentences, questions, procedures, corrections, artifacts.

The extractor asks `observe.work` about coding sessions, which uses the readers of single sentences from here.
"""
