from __future__ import annotations

from collections.abc import Iterator

import pytest

from datastream.config.settings import settings
from tests.support.servers.web import WebServer

#: Of the suite for connectors: crashes between any two calls. Those of connectors without a server are quick.
_CRASHES = "test_it_loses_and_doubles_nothing_in_crashes"
_QUICK = ("test_suites.py",)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.name.startswith(_CRASHES) and item.path.name not in _QUICK:
            item.add_marker(pytest.mark.long)


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run in this process."""
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def without_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are not brought to the disk: no machine goes down here."""
    monkeypatch.setattr("os.fsync", lambda file: None)


@pytest.fixture
def web() -> Iterator[WebServer]:
    """A web server of the test's own."""
    with WebServer() as server:
        yield server
