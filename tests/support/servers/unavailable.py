from __future__ import annotations


class UnavailableError(Exception):
    """A server cannot be had in some way, or at all; the message says why."""
