"""A query in, a context and a receipt out: the stages of a recall, in the order of `pipeline.STAGES`."""
