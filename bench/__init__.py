"""Measurements: each case in processes of its own, against a baseline in the same run."""
