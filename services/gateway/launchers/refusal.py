"""A driver that its engine will not start."""

from __future__ import annotations

from datastream.errors import DataStreamError


class LaunchRefused(DataStreamError):
    """The engine answers, but cannot start the driver as it is configured: another try has the same result."""
