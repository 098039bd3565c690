"""A message in, whose words its parts are out: the author's own, quoted or pasted."""
