"""Processes that run in containers around the library (a gateway, a runner). They come later.

Services use only the public API of `datastream` and of the connectors.
"""
