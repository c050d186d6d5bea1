"""The run of a script: its code, the jobs that it leaves, its threads, its forks and what it wants done at its end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from datastream.errors import JobError
from datastream.job import started

from .abrupt_ends import no_abrupt_success
from .child_processes import ChildProcesses
from .exit_handlers import ExitHandlers
from .failures import is_user_file
from .left_jobs import cancel_jobs, wait_for_jobs
from .unheard_failures import UnheardFailures, causes, is_of_job


class ScriptRun:
    """Runs a script as Python would, but that its jobs are waited for, and that their failures are heard of.

    Args:
        tell: Reports a failure.

    Attributes:
        failures: What has failed, that of the script itself and its `SystemExit` with an error among them.
    """

    def __init__(self, tell: Callable[[BaseException], None]) -> None:
        self._tell = tell
        self._others = set(threading.enumerate())
        self._unheard = UnheardFailures(self._others)
        self._handlers = ExitHandlers()
        self._children = ChildProcesses(self._unheard.forget, self._finish_child)
        self.failures: list[BaseException] = []

    @property
    def forked(self) -> bool:
        """Whether the script has forked processes, which may have run jobs."""
        return self._children.any

    @property
    def in_child(self) -> bool:
        """Whether this process was forked by the script."""
        return self._children.is_child

    def run(self, code: Callable[[], None]) -> BaseException | None:
        """Run it, and wait for what it leaves; what ended it or decides the exit code, if there is anything."""
        with (
            self._handlers.kept(),
            self._children.noted(),
            self._unheard.gathered(),
            no_abrupt_success(self._tell),
        ):
            try:
                ended = self._run(code)
                self._wait()
            except KeyboardInterrupt as interrupt:
                return self._cancelled(interrupt)
            except SystemExit as exit:  # of a handler of the script's for a signal
                if not started.unheard():
                    return exit
                return self._cancelled(KeyboardInterrupt() if exit.code in (None, 0) else exit)
            except Exception as error:  # of such a handler, too
                return self._cancelled(error)
            return ended

    def _run(self, code: Callable[[], None]) -> BaseException | None:
        try:
            code()
        except SystemExit as exit:
            if exit.code not in (None, 0):
                self.failures.append(exit)
            return exit
        except Exception as error:
            self._failed(error)
            return error
        return None

    def _wait(self) -> None:
        while True:
            self.failures += wait_for_jobs(bool(self.failures), self._tell, self._others)
            if self._unheard.wait_for_pools():
                continue
            for error in self._unheard.take():
                self._failed(error)
            if not self._handlers.run(self._handler_failed):
                break
        for error in self._children.wait():
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        if not any(known in causes(error) for known in self.failures):  # else it was reported as the job's
            self._tell(error)
            self.failures.append(error)

    def _handler_failed(self, error: BaseException) -> None:
        """A function of `atexit` has failed: as Python has it, that is no failure of the script, but a job's is."""
        if is_of_job(error):
            self._failed(error)
        else:
            self._unheard.died = error
            sys.excepthook(type(error), error, error.__traceback__)

    def _cancelled(self, ended: BaseException) -> BaseException:
        self._children.end()
        cancel_jobs()
        if not isinstance(ended, SystemExit):
            self._tell(ended)
        self.failures = [ended]
        return ended

    def _finish_child(self) -> int:
        """In a child of `multiprocessing`, after its function: wait for its jobs; the exit code."""
        failures = wait_for_jobs(False, self._tell)
        while self._unheard.wait_for_pools():
            failures += wait_for_jobs(bool(failures), self._tell)
        for error in self._unheard.take():
            self._tell(error)
            failures.append(error)
        return 1 if failures else 0

    def why_no_job(self, what: str) -> JobError | None:
        """The error for a script that may have been about to start a job, and has started none; None: it was not.

        Args:
            what: The script, for people.
        """
        if (died := self._unheard.died) is not None:
            return JobError(f"{what} ended without a job, and a thread or exit handler of it with {died!r}")
        frames = sys._current_frames()  # noqa: SLF001 - Python documents it
        for thread in threading.enumerate():
            if not thread.daemon or thread in self._others:
                continue
            frame = frames.get(thread.ident or 0)
            while frame is not None:
                if is_user_file(frame.f_code.co_filename):
                    return JobError(
                        f"{what} ended without a job, while its daemon thread '{thread.name}' was at work, at "
                        f"{frame.f_code.co_filename}:{frame.f_lineno}: Python ends such threads with the script; join "
                        "it, or leave out daemon=True"
                    )
                frame = frame.f_back
        return None
