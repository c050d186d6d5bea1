from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

from datastream import compat

# A run that gates others draws the same examples each time; a developer's draws new ones and finds new faults.
# How long an example takes, or the making of it, says nothing on a machine that is shared.
UNTIMED = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("here", **UNTIMED)
hypothesis.settings.register_profile("ci", **UNTIMED, derandomize=True)
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
