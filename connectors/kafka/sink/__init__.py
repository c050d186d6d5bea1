"""Kafka as a sink: producers, transactions and the markers that make an epoch's records exact."""
