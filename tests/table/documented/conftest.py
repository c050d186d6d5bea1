"""The examples of Flink's documentation of connectors and formats, with other addresses alone, on the real systems.

What is added so that they end: where the reading of a topic, a stream or a table starts and stops.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from datastream.config.settings import settings
from tests.support.formats.registry_server import RegistryServer, registry_server


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    """A registry of schemas."""
    with registry_server() as server:
        yield server
