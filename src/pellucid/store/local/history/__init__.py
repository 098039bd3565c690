"""`history.db`: recalls with their receipts, what they were cited for, traces, and what is counted of them."""
