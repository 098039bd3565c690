"""Values of a recall in, the words for them out: sentences, ranks, doubts, and no invisible characters."""
