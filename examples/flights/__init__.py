"""Delays of flights from New York City: a job of several modules with a live table."""
