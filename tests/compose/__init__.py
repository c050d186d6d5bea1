"""Checks of the stack in compose.yaml: `scripts/compose check`.

flights     the results in Kafka, compared with a batch computation
monitoring  what Prometheus has seen of it
stack       the containers: end one, start it, what memory they take
command     the command
"""
