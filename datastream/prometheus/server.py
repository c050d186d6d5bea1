"""Answers scrapes."""

from __future__ import annotations

from datastream.errors import ValidationError
from datastream.http_pages import Page, PageServer

from .registry import CONTENT_TYPE, REGISTRY, Registry


class MetricsServer(PageServer):
    """Serves ``/metrics`` from a thread of its own.

    Args:
        address: To listen at.
        port: 0: any that is free.
        registry: What is served.

    Raises:
        ValidationError: The port is taken, or the address is none of this machine.
    """

    def __init__(self, address: str, port: int, registry: Registry = REGISTRY) -> None:
        def metrics() -> Page:
            return Page(registry.text(), CONTENT_TYPE)

        try:
            super().__init__(address, port, {"/metrics": metrics, "/metrics/": metrics})
        except (OSError, UnicodeError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise ValidationError(
                f"metrics cannot be served at {address}:{port}: {why}; choose another port with "
                "-D datastream.metrics.port=..., 0 for any that is free"
            ) from None
