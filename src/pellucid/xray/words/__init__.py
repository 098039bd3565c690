"""What a recall holds in, the words for it out: sentences, ranks, doubts, nothing unseen."""
