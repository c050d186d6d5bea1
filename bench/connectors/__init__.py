"""Connectors: the whole path of a writer or a reader, against the bare client of its system in the same run."""
