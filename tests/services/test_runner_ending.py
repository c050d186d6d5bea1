"""The end of a script that is to be interrupted while it ends by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from datastream.services.runner import ending as module
from datastream.services.runner.ending import Ending
from datastream.services.runner.watch import Watch


def test_a_script_that_has_ended_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = Ending(Watch(0), 1)

    @contextmanager
    def late() -> Iterator[None]:
        yield
        ending._interrupt_script()

    monkeypatch.setattr(module, "prompt_signals", late)
    with ending.by_signals():
        pass
    assert ending.asked
