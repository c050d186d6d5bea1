"""How the names of PyFlink fare here: what is there, and what docs/differences.md says of the others.

``python -m tests.names`` prints the figures.
"""
