"""Common mistakes of newcomers, each as a script, and what the terminal says about it.

The tables of ``docs/mistakes.md`` are the rows of these modules; ``python -m tests.mistakes`` prints them.
"""
