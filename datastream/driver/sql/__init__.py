"""Statements of SQL that are carried out one after the other, for a client at a terminal or one of the gateway."""
