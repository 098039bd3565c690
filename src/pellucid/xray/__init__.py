"""A receipt in, an explanation out: what one recall did, and the same words for it on every surface."""
