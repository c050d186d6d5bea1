"""Pytest's fixture ``run``: a test that takes it runs on the local executor and on Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from datastream.config.settings import settings
from datastream.testing.cases import Case, Runner

_cases: list[Case] = []
_runners: dict[str, Runner] = {}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember which cases will run: those, and no others, share jobs."""
    found = {getattr(getattr(item, "function", None), "case", None): None for item in session.items}
    _cases[:] = [case for case in found if case is not None]


@pytest.fixture(params=["local", "spark"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    monkeypatch.setattr(settings(), "executor", request.param)
    if request.param not in _runners:
        _runners[request.param] = Runner(request.param, _cases)
    yield _runners[request.param]
