"""From resolved relations to operators of the DataStream engine: a module for each relation, or family of relations.

Processes that run a job import parts of it, such as `selectors`, and not the rest.
"""
