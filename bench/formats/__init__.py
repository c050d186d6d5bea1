"""Rates of the formats, one module a format: records a second, ours and the library's own."""
