"""Kafka as a source: which partitions and offsets an epoch reads, and how they are read."""
