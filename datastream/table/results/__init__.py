"""What a statement gives to its caller."""
