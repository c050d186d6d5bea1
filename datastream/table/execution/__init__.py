"""Carrying out statements: jobs, definitions, SHOW and DESCRIBE, plans as text."""
