"""What a recall holds in, the words for it out: sentences, places, doubts, nothing unseen."""
