"""Frameworks for agents in, their own parts made of one opened `Pellucid` out; each needs its framework installed."""
