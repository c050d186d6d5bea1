"""Pytest's fixture ``run``: a test that takes it runs on the local executor and on Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from datastream.config.settings import settings
from datastream.testing.cases import Case, Runner

_cases: list[Case] = []
_runners: dict[str, Runner] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let pytest-xdist (``--dist loadgroup``) run cases that share a job in one worker."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        case = getattr(getattr(item, "function", None), "case", None)
        callspec = getattr(item, "callspec", None)
        if case is not None and not case.alone and callspec is not None and callspec.params.get("run") == "spark":
            item.add_marker(pytest.mark.xdist_group(f"spark-{case.parallelism}{'-batch' * case.batch}"))


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
