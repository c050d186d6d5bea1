"""The fixture ``run``: a test that takes it runs on the local executor and on Spark. Real servers: `servers.plugin`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest
from harness import Case, Runner

from datastream.config.settings import settings

# A run that gates others draws the same examples each time; a developer's draws new ones and finds new faults.
# How long an example takes says nothing on a machine that is shared.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")

pytest_plugins = ["servers.plugin"]

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
