"""Clients of Kafka: settings by the names of Java's clients or librdkafka, errors, retries, what a cluster knows."""
