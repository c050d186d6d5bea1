"""Data types, and values of them."""
