"""The source and the words of a memory in, how far it is trusted out: zones, and signs of words that give orders."""
