"""What Flink's Table API had before version 1.14, made of what it has now."""
