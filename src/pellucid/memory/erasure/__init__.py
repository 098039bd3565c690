"""What is forgotten in, everything that goes with it out, and the keys by which it is known again."""
