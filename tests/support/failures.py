"""Which tests have failed, so that what they leave is kept and named."""

from __future__ import annotations

import os
from typing import Any

import pytest

_failed: set[str] = set()


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    if call.excinfo is not None and not call.excinfo.errisinstance((pytest.skip.Exception, pytest.xfail.Exception)):
        _failed.add(_file(item.nodeid))


def has_failed() -> bool:
    """Whether a test of the file that is run has failed in this process."""
    return _file(os.environ.get("PYTEST_CURRENT_TEST", "")) in _failed


def _file(test: str) -> str:
    return test.partition("::")[0]
