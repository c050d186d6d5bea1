"""Pytest's fixture ``run``, and `datastream.testing.case`. In ``conftest.py``::

pytest_plugins = ["datastream.testing.plugin"]
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from datastream.config.settings import settings
from datastream.testing.cases import Case
from datastream.testing.runner import Runner

_CASES = pytest.StashKey[Sequence[Case]]()
_RUNNERS = pytest.StashKey[dict[str, Runner]]()


@pytest.fixture(params=["local", "spark"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Runs the test once on the local executor and once on Spark: makes environments, runs jobs, returns results."""
    monkeypatch.setattr(settings(), "executor", request.param)
    stash = request.config.stash
    runners = stash.setdefault(_RUNNERS, {})
    return runners.setdefault(request.param, Runner(request.param, stash.get(_CASES, [])))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let pytest-xdist (``--dist loadgroup``) run cases that share a job in one worker."""
    if not hasattr(config, "workerinput"):
        return
    for item in items:
        case, callspec = _case(item), getattr(item, "callspec", None)
        if case is not None and not case.alone and callspec is not None and callspec.params.get("run") == "spark":
            item.add_marker(pytest.mark.xdist_group(f"spark-{case.parallelism}{'-batch' if case.batch else ''}"))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember which cases will run: those, and no others, share jobs."""
    found = {_case(item): None for item in session.items}
    session.config.stash[_CASES] = [case for case in found if case is not None]


def _case(item: pytest.Item) -> Case | None:
    return getattr(getattr(item, "function", None), "case", None)
