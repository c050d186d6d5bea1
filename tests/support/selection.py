"""Which tests a run has: what is long on Spark only, the parts of a long run, what runs on Spark by turns."""

from __future__ import annotations

import argparse
from collections import defaultdict

import pytest

from tests.support.seconds import LONG, file_of, parts_of, seconds_of


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        type=_part,
        metavar="K/N",
        help="only the K-th of N parts of the long tests, K from 1, which take as long as one another: each file is in "
        "one of them",
    )
    parser.addoption(
        "--on-spark",
        type=_part,
        metavar="K/N",
        help="of the tests that run on both executors, on Spark only the K-th of each N of a file, K from 1",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("long_on_spark") and _is_on_spark(item):
            item.add_marker(pytest.mark.long)
    if config.getoption("part") is not None:
        which, parts = config.getoption("part")
        chosen = [item for item in items if any(map(item.get_closest_marker, ("long", "draws")))]
        part = parts_of(seconds_of(chosen, LONG), parts)
        _leave_out(config, items, [item for item in items if part.get(file_of(item.nodeid)) != which])
    if config.getoption("on_spark") is not None:
        _leave_out(config, items, not_in_turn(items, *config.getoption("on_spark")))


def not_in_turn(items: list[pytest.Item], which: int, turns: int) -> list[pytest.Item]:
    """Of the tests on Spark that the local executor runs, too: all but the K-th of each N of a file."""
    names = {item.nodeid for item in items}
    on_spark: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        is_quick = not item.get_closest_marker("long")
        if is_quick and _is_on_spark(item) and item.nodeid.replace("spark", "local") in names:
            on_spark[file_of(item.nodeid)].append(item)
    return [item for file in on_spark.values() for n, item in enumerate(file) if n % turns != which - 1]


def _leave_out(config: pytest.Config, items: list[pytest.Item], left: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=left)
    left_out = set(left)
    items[:] = [item for item in items if item not in left_out]


def _part(text: str) -> tuple[int, int]:
    which, _, parts = text.partition("/")
    if not (which.isdecimal() and parts.isdecimal() and 1 <= int(which) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is no part such as 2/4")
    return int(which), int(parts)


def _is_on_spark(item: pytest.Item) -> bool:
    """By the fixture ``run``, or one like it."""
    callspec = getattr(item, "callspec", None)
    return callspec is not None and "spark" in [each for each in callspec.params.values() if isinstance(each, str)]
