from __future__ import annotations

import os
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
    "tests.support.isolation",
    "datastream.testing.plugin",
    "tests.support.servers.plugin",
    "tests.support.selection",
    "tests.support.workers",
    "tests.support.record",
]


@pytest.fixture
def pyflink() -> Iterator[None]:
    """Within the test, ``pyflink`` can be imported."""
    was = compat.installed()
    assert compat.install()
    yield
    if not was:
        compat.uninstall()
