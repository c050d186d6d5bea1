"""Code in Python for expressions, rows and aggregates."""
