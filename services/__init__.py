"""Processes that run in containers around the library.

runner  the main process of a job's container

A service is thin: it adds what a container needs to what the library and the command do.
"""
