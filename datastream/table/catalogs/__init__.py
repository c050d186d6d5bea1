"""Catalogs: where tables, views and functions are kept by name."""
