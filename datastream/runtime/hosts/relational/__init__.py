"""Hosts of table plans: aggregates, windows, joins, sorting."""
