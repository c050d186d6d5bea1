"""`os._exit` and its kind in a script: they end the process, and with it the jobs, before anybody hears of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from datastream.errors import UnsupportedOperation
from datastream.job import started

_FAILED = 1


@contextmanager
def no_abrupt_success(report: Callable[[BaseException], None]) -> Iterator[None]:
    """Within the block, an abrupt end is no success if jobs are lost by it.

    Args:
        report: Notified of what is lost.
    """
    end, execute, execute_in = os._exit, os.execv, os.execve

    def checked_end(status: int) -> NoReturn:
        if status == 0 and (lost := _running()):
            report(UnsupportedOperation(f"os._exit(0) ends the process, and with it {lost}: wait for it before"))
            status = _FAILED
            for stream in (sys.stdout, sys.stderr):
                with suppress(Exception):
                    stream.flush()
        end(status)

    def refuse_to_lose(call: str) -> None:
        if lost := _running():
            raise UnsupportedOperation(f"{call} replaces the process, and ends {lost}: wait for it before")

    def checked_execute(*args: Any) -> NoReturn:
        refuse_to_lose("os.execv")
        execute(*args)

    def checked_execute_in(*args: Any) -> NoReturn:
        refuse_to_lose("os.execve")
        execute_in(*args)

    os._exit, os.execv = checked_end, checked_execute
    os.execve = checked_execute_in  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit, os.execv, os.execve = end, execute, execute_in


def _running() -> str:
    """The jobs that run, for people; empty: none does."""
    starting = started.is_starting()
    names = [f"'{job.name}'" for job in started.unheard() if not (job.future.done() or job.ends_with_script)]
    if not names:
        return "the job that is being started" if starting else ""
    return f"the job {names[0]}, which still runs" if len(names) == 1 else f"the jobs {', '.join(names)}, which run"
