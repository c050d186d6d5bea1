"""A server that answers by a script, and an environment without settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from datastream.client import GatewayClient
from tests.client.scripted_server import ScriptedServer


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of settings is empty."""
    folder = tmp_path / "settings"
    folder.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    for name in ("DATASTREAM_GATEWAY_URL", "DATASTREAM_GATEWAY_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[GatewayClient]:
    with GatewayClient(server.url, "secret-token", timeout_s=5.0) as made:
        yield made
