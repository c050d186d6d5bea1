"""Which tests pytest-xdist's workers run, and when: `scripts/test` starts them with ``--dist loadgroup``."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A file's tests stay in one worker, except for cases that share a job with those of other files.

    Groups begin in this order: the shared jobs, then tests that start processes, then all others.
    """
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    marker = item.get_closest_marker("xdist_group")
    assert marker is not None
    group = marker.args[0]
    return 0 if group.startswith("spark-") else 1 if "integration" in group else 2
