"""What a statement returns to its caller."""
