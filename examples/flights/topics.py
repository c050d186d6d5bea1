"""The topics of the flights, and where they are unless somebody says otherwise."""

from __future__ import annotations

SERVERS = "127.0.0.1:9092"
SOURCE = "flights"


def topic_of(result: str, source: str = SOURCE) -> str:
    """The topic of a result, such as ``flights-too-late``."""
    return f"{source}-{result.replace(' ', '-')}"
