"""A query and texts in, a relevance score a text out: the rerankers, behind one port."""
