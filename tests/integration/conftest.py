from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cluster import Cluster
from tests.support.offline import Wheels
from tests.support.processes import Runs


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """Starts processes in the test's folder, and ends them with the test."""
    made = Runs(tmp_path)
    yield made
    made.end()


@pytest.fixture
def cluster(runs: Runs, tmp_path: Path) -> Cluster:
    """A standalone cluster."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    return Cluster(runs, folder)


@pytest.fixture
def wheels(tmp_path: Path) -> Wheels:
    """Packages that are in no index."""
    return Wheels(tmp_path / "wheels")
