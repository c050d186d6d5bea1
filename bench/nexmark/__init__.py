"""Nexmark: the queries of an auction, here and in Flink."""
