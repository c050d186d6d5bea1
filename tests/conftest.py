from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import hypothesis
import pytest

from datastream import compat

# A run that gates others draws the same examples each time; a developer's draws new ones and finds new faults.
# How long an example takes says nothing on a machine that is shared.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")

pytest_plugins = [
    "tests.support.waiting",
    "tests.support.failures",
    "datastream.testing.plugin",
    "tests.support.servers.plugin",
    "tests.support.selection",
    "tests.support.workers",
    "tests.support.record",
]

_FRAMES = sys.getrecursionlimit()


@pytest.fixture(autouse=True)
def frames_of_python() -> None:
    """Each test begins with the limit that Python has: table environments raise it for their process."""
    sys.setrecursionlimit(_FRAMES)


@pytest.fixture
def pyflink() -> Iterator[None]:
    """Within the test, ``pyflink`` can be imported."""
    was = compat.installed()
    assert compat.install()
    yield
    if not was:
        compat.uninstall()
