"""What the Table API of Flink had before version 1.14, made of what it has now."""
