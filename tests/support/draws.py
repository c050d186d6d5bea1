"""How many random examples a test draws: all of them with ``scripts/test --long``, else a tenth."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import hypothesis
import pytest

_Test = TypeVar("_Test", bound=Callable[..., Any])

WHOLE = "DATASTREAM_TEST_ALL_EXAMPLES"


def draws(examples: int, **more: Any) -> Callable[[_Test], _Test]:
    """Marks a test that draws so many examples in a long run, and a tenth of them in any other.

    Args:
        examples: How many.
        more: Other settings of Hypothesis.
    """
    chosen = hypothesis.settings(max_examples=examples if os.environ.get(WHOLE) else examples // 10, **more)
    return lambda test: pytest.mark.draws(chosen(test))
