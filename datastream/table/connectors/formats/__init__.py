"""Formats of tables: how the bytes of a file's line or of a message become the columns of a row."""
