"""Labelled queries in, metrics out: what a recall is worth, beside its floors."""
