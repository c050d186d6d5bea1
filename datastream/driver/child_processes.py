"""Processes that a script forks: their jobs are waited for there, and the processes here."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from datastream.errors import JobError


class ChildProcesses:
    """Notes the forks of a script.

    Args:
        forked: Called in each child.
        finish: Waits for the jobs of a child of `multiprocessing`, in it; returns its exit code.
    """

    def __init__(self, forked: Callable[[], Any], finish: Callable[[], int]) -> None:
        self._forked, self._finish = forked, finish
        self._pids: list[int] = []
        self._forks, self._follows = 0, False
        self._owner = os.getpid()

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Within the block, forks are noted."""
        fork = os.fork

        def noting() -> int:
            self._follow_multiprocessing()
            pid = fork()
            if pid == 0:
                self._pids = []
                self._forked()
            else:
                self._pids.append(pid)
                self._forks += 1
            return pid

        os.fork = noting
        try:
            yield
        finally:
            os.fork = fork

    def _follow_multiprocessing(self) -> None:
        """Its children end without a way back to the one who runs the script: let them wait for their jobs before."""
        util: Any = sys.modules.get("multiprocessing.util")
        if util is not None and not self._follows:
            self._follows = True
            util.register_after_fork(self, lambda _: util.Finalize(None, self._end_child, exitpriority=100))

    def _end_child(self) -> None:
        if code := self._finish():
            raise SystemExit(code)

    @property
    def any(self) -> bool:
        """Whether there were any."""
        return self._forks > 0

    def wait(self) -> list[BaseException]:
        """Wait for the children that have not been waited for; those that have failed."""
        failures: list[BaseException] = []
        for child in _of_multiprocessing():
            child.join()
            self._pids = [pid for pid in self._pids if pid != child.pid]
            if child.exitcode:
                failures.append(_ended(f"'{child.name}'", child.pid, child.exitcode))
        while self._pids:
            with suppress(ChildProcessError):  # the script has waited for it
                _, status = os.waitpid(self._pids[0], 0)
                if code := os.waitstatus_to_exitcode(status):
                    failures.append(_ended("that the script has forked", self._pids[0], code))
            self._pids.pop(0)
        return failures

    def end(self) -> None:
        """Let those that still run end, as this process does."""
        for pid in self._pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGTERM)

    @property
    def is_child(self) -> bool:
        """Whether this process is one of them."""
        return os.getpid() != self._owner


def _of_multiprocessing() -> list[Any]:
    """The processes that Python itself would wait for, after the end of pools and servers, as it would end them."""
    pools: Any = sys.modules.get("concurrent.futures.process")
    util: Any = sys.modules.get("multiprocessing.util")
    process: Any = sys.modules.get("multiprocessing.process")
    if pools is not None:
        pools._python_exit()  # noqa: SLF001 - an exit handler of Python's own
    if util is not None:
        util._run_finalizers(0)  # noqa: SLF001 - the same
    if process is None:
        return []
    return [each for each in process._children if not each.daemon]  # noqa: SLF001 - active_children() would wait


def _ended(name: str, pid: int, code: int) -> JobError:
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return JobError(f"the process {name} (process {pid}) {how}, and was not waited for: its jobs may be lost")
