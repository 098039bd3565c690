"""A question and a JSON schema in, a checked answer out: the chat models, behind one port."""
