"""The one way in which tests wait: for a condition, with a limit that grows with the machine's load."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")

_SLOWNESS = "DATASTREAM_TEST_SLOWNESS"
#: Turns of the loop that is timed, and what it takes on an idle machine of the kind that limits were chosen on, in s.
_TURNS, _USUAL_S = 3_000_000, 0.15
_MOST = 8.0


def scaled(seconds: float) -> float:
    """A limit for this machine: 1 to 8 times one that is right on an idle machine.

    The first process of a run measures by how much it is slower; those that it starts take that from the environment.
    """
    if _SLOWNESS not in os.environ:
        began = time.monotonic()
        for _ in range(_TURNS):
            pass
        os.environ[_SLOWNESS] = f"{min(_MOST, max(1.0, (time.monotonic() - began) / _USUAL_S)):.2f}"
    return seconds * float(os.environ[_SLOWNESS])


USUAL_LIMIT_S = 120.0

PATIENCE_S = scaled(USUAL_LIMIT_S)
"""Longer than anything takes here on a busy machine."""


def wait_until(
    holds: Callable[[], T],
    what: str,
    limit_s: float = USUAL_LIMIT_S,
    every_s: float = 0.02,
    seen: Callable[[], object] = lambda: "",
) -> T:
    """Wait until something holds; what the condition gave then.

    Args:
        holds: The condition. Nothing that it raises is caught.
        what: What is waited for, for the message at the limit.
        limit_s: How long, on an idle machine.
        every_s: The pause between two looks.
        seen: What to tell at the limit, such as a log.

    Raises:
        AssertionError: It did not come about in time; with what was seen last.
    """
    limit_s = scaled(limit_s)
    deadline = time.monotonic() + limit_s
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"no {what} within {limit_s:.0f} s, but {found!r:.300}\n{seen()}".rstrip())
        time.sleep(every_s)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Also the limit of a whole test."""
    os.environ.setdefault("PYTEST_TIMEOUT", f"{scaled(float(config.getini('timeout'))):.0f}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests have three times as much: the machine may become slower after it was measured."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(3 * scaled(float(config.getini("timeout")))))
