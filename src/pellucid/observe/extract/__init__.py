"""The turns of a segment in, what they state out: sentences, questions, procedures, corrections, artifacts."""
