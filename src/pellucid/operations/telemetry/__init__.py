"""A range of recalls in, statistics out: what they found and cost, and which memories were used."""
