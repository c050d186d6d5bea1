from __future__ import annotations

import pytest

#: Of the suite for connectors: crashes between any two calls. Those of connectors without a server are quick.
_CRASHES = "test_it_loses_and_doubles_nothing_in_crashes"
_QUICK = ("test_suites.py",)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.name.startswith(_CRASHES) and item.path.name not in _QUICK:
            item.add_marker(pytest.mark.long)
