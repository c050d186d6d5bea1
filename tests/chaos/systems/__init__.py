"""Jobs from a system into the same system, while driver, workers and the system itself are killed.

``python -m tests.chaos.systems``, or ``scripts/chaos systems``.
"""
