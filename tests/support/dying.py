"""Processes that die at any call that changes the disk."""

from __future__ import annotations

import builtins
import os
import shutil
from collections.abc import Callable
from typing import Any

import pytest

POINTS = [(os, "replace"), (os, "remove"), (os, "makedirs"), (shutil, "copyfileobj"), (builtins, "open")]


class Crash(BaseException):
    """The process is gone: no handler of errors sees it."""


class Faults:
    """Dies at one of the calls that change the disk, just before or just after it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        for module, name in POINTS:
            patch.setattr(module, name, self._dying(getattr(module, name), name))

    def _dying(self, real: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.left is None or (name == "open" and not set(args[1] if len(args) > 1 else "r") & set("wax")):
                return real(*args, **kwargs)
            self.left -= 1
            if self.left == 0:
                self.left = None
                raise Crash
            result = real(*args, **kwargs)
            self.left -= 1
            if self.left == 0:
                self.left = None
                if name == "open":
                    result.close()  # created or cut to nothing, but not written
                raise Crash
            return result

        return call
