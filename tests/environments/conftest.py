from __future__ import annotations

import sys
from pathlib import Path

import pytest

from datastream.environments.interpreter import Interpreter, ask
from datastream.environments.store import Store
from tests.support.offline import REFUSES, Wheels


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path / "store")
    (found.root / "cleaned").touch()  # else it is cleaned in the background, now
    return found


@pytest.fixture
def own() -> Interpreter:
    return ask(sys.executable)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheels:
    """Packages that are in no index, and an index that refuses."""
    for name, value in REFUSES.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    return Wheels(tmp_path / "wheels")
