"""Values in, checked values out, without any I/O: the turns, observations, memories and snapshots that travel."""
