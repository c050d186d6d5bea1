"""SQL: from text to statements and queries."""
