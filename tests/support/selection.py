"""Which tests a run has: what is long on Spark only, and the parts of a long run."""

from __future__ import annotations

import argparse

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("long_on_spark") and _is_on_spark(item):
            item.add_marker(pytest.mark.long)
    if config.getoption("part") is not None:
        which, parts = config.getoption("part")
        chosen = [item for item in items if any(map(item.get_closest_marker, ("long", "draws")))]
        part = parts_of(seconds_of(chosen, LONG), parts)
        left = [item for item in items if part.get(file_of(item.nodeid)) != which]
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
