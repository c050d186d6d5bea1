"""What users call: environments, tables, and what belongs to them."""
