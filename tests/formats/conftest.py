from __future__ import annotations

from collections.abc import Iterator

import pytest

from datastream.types import checks


@pytest.fixture
def strict() -> Iterator[None]:
    """Values must be of their declared types, as in a job with ``datastream.types.check=strict``."""
    before = checks.enter("strict")
    yield
    checks.enter(before)
