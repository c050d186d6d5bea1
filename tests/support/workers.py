"""Which tests pytest-xdist's workers run, and when: `scripts/test` starts them with ``--dist loadgroup``."""

from __future__ import annotations

import gc
import subprocess
import time
import zlib
from collections.abc import Generator
from typing import Any

import pytest

from tests.support.seconds import LONG, USUAL, file_of, seconds_of


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """A file's tests stay in one worker, except for those of a group, such as cases that share a job."""
    from xdist.scheduler import LoadGroupScheduling

    class ByGroupOrFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if group == nodeid else group

    return ByGroupOrFile(config, log) if config.getvalue("dist") == "loadgroup" else None


_BEGAN = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--minutes",
        type=float,
        help="begin no test after so many minutes, and skip those that are left; each commit has another order",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Collect without looking for garbage, again and again, among all that is kept: that takes half of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that no worker is left alone with it: shared jobs, then files by seconds."""
    if config.getoption("minutes") is not None:
        seed = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=config.rootpath, capture_output=True, check=False
        ).stdout
        items.sort(key=lambda item: zlib.crc32(_scope(item).encode(), zlib.crc32(seed)))
    elif hasattr(config, "workerinput"):
        seconds = seconds_of(items, LONG if any(item.get_closest_marker("long") for item in items) else USUAL)
        items.sort(key=lambda item: _turn(item, seconds))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    minutes = item.config.getoption("minutes")
    if minutes is not None and time.monotonic() - _BEGAN > minutes * 60:
        pytest.skip(f"the {minutes:g} minutes of this run were over")


def _scope(item: pytest.Item) -> str:
    """What stays together: a group, or a file."""
    group = item.get_closest_marker("xdist_group")
    return str(item.path) if group is None else str(group.args or group.kwargs)


def _turn(item: pytest.Item, seconds: dict[str, float]) -> float:
    shared = item.get_closest_marker("xdist_group") is not None
    return float("-inf") if shared else -seconds[file_of(item.nodeid)]
