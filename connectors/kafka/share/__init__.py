"""Kafka's share groups: topics as queues, whose records any consumer of the group may get."""
