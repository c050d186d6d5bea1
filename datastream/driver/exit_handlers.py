"""A script's functions of `atexit`: they run while jobs can still be started, before Python ends."""

from __future__ import annotations

import atexit
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .failures import is_user_file


class ExitHandlers:
    """Keeps what a script registers. Python would call it when no thread can be started any more, and so no job."""

    def __init__(self) -> None:
        self._calls: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Within the block, what the user's files register is kept here; what others register stays with Python."""
        register, unregister = atexit.register, atexit.unregister

        def keep(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Callable[..., Any]:
            frame = inspect.currentframe()
            caller = frame and frame.f_back
            if caller is None or not is_user_file(caller.f_code.co_filename):
                return register(function, *args, **kwargs)
            self._calls.append((function, args, kwargs))
            return function

        def forget(function: Callable[..., Any]) -> None:
            self._calls[:] = [call for call in self._calls if call[0] != function]
            unregister(function)

        atexit.register, atexit.unregister = keep, forget
        try:
            yield
        finally:
            atexit.register, atexit.unregister = register, unregister

    def run(self, failed: Callable[[BaseException], None]) -> bool:
        """Call the one that was registered last. False: there is none.

        Args:
            failed: Notified of its failure; Python calls the others all the same.
        """
        if not self._calls:
            return False
        function, args, kwargs = self._calls.pop()
        try:
            function(*args, **kwargs)
        except (Exception, SystemExit) as error:
            failed(error)
        return True
