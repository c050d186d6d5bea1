"""Pytest's fixture ``run``, and `datastream.testing.case`. In ``conftest.py``::

pytest_plugins = ["datastream.testing.plugin"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from datastream.config.settings import settings
from datastream.testing.cases import Case, share
from datastream.testing.runner import Runner

_GROUPS = pytest.StashKey[Mapping[Case, str]]()
_RUNNERS = pytest.StashKey[dict[str, Runner]]()


@pytest.fixture(params=["local", "spark"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    """Runs the test once on the local executor and once on Spark: makes environments, runs jobs, returns results."""
    monkeypatch.setattr(settings(), "executor", request.param)
    stash = request.config.stash
    runners = stash.setdefault(_RUNNERS, {})
    runner = runners.setdefault(request.param, Runner(request.param, stash.get(_GROUPS, {})))
    case = _case(request.node)
    if case is not None:
        runner.prepare(case)
    yield runner
    runner.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the cases that share a job; pytest-xdist (``--dist loadgroup``) is to run them in one worker."""
    groups = share(dict.fromkeys(case for item in items if (case := _case(item)) is not None))
    config.stash[_GROUPS] = groups
    if not hasattr(config, "workerinput"):
        return
    for item in items:
        case, callspec = _case(item), getattr(item, "callspec", None)
        if case in groups and callspec is not None and callspec.params.get("run") == "spark":
            item.add_marker(pytest.mark.xdist_group(groups[case]))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember which cases will run: those, and no others, share jobs."""
    selected = {_case(item) for item in session.items}
    groups = session.config.stash.get(_GROUPS, {})
    session.config.stash[_GROUPS] = {case: group for case, group in groups.items() if case in selected}


def _case(item: pytest.Item) -> Case | None:
    return getattr(getattr(item, "function", None), "case", None)
