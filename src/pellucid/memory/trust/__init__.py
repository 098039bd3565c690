"""Who said something and how in, how far it is trusted out: zones, and signs of words that give orders."""
