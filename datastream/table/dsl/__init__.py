"""Expressions as users write them in Python."""
