"""SIGTERM and Ctrl-C: the epoch in hand is ended, then the job; if that takes too long, harder."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import psutil
import structlog

from datastream.config.settings import settings
from datastream.job.handle import JobHandle
from datastream.prompt_signals import prompt_signals

from .exit_codes import FORCED
from .watch import Watch

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
#: After the grace period: for the query to stop, and for the process to end.
_CANCEL_S = 4.0
#: After its jobs the script has this time to end by itself.
_SCRIPT_S = 2.0
_POLL_S = 0.05


class Ending:
    """Ends the process when its supervisor asks for it.

    The first signal lets the epoch in hand end; jobs that start later do not. A second one does not wait for the epoch.

    Args:
        watch: Knows the jobs.
        grace_s: How long the epoch in hand may take.
    """

    def __init__(self, watch: Watch, grace_s: float) -> None:
        self._watch, self._grace_s = watch, grace_s
        self._signals = 0
        self._told: list[JobHandle] = []
        self._interrupt = False
        self._over = threading.Event()
        #: The epoch in hand was given up.
        self.forced = False

    @property
    def asked(self) -> bool:
        """Whether the end was requested."""
        return self._signals > 0

    @contextmanager
    def by_signals(self) -> Iterator[None]:
        """Within the block, signals end the job. The process ends in time also when what follows the block hangs."""
        before = [(number, signal.signal(number, self._handle)) for number in _SIGNALS]
        try:
            with prompt_signals():
                try:
                    yield
                finally:
                    self._over.set()
        finally:
            for number, handler in before:
                # The end is near: another signal must not spoil what the job leaves behind.
                signal.signal(number, signal.SIG_IGN if self.asked else handler)

    def end_for_restart(self) -> None:
        """End the jobs after the epoch in progress, however long it takes, and then the script; returns at once."""
        self._watch.ending = True
        settings().on_execute = _refuse
        threading.Thread(target=self._end_slowly, name="datastream-restart", daemon=True).start()

    def _end_slowly(self) -> None:
        if not self._end_jobs(math.inf):
            self._interrupt_script()

    def _end_jobs(self, deadline: float) -> bool:
        """Let all jobs end after their epochs, also those that were about to start.

        Returns some time after the last job, at the deadline, at another signal, or when the process ends by itself,
        and whether it does.
        """
        last_job = time.monotonic()
        while not self._over.wait(_POLL_S):
            now = time.monotonic()
            running = self._watch.running
            if running or self._watch.starting:
                last_job = now
            for job in running:
                if job not in self._told:
                    self._told.append(job)
                    job.end_after_epoch()
            if now - last_job > _SCRIPT_S or now > deadline or (running and self._signals > 1):
                return False
        return True

    def _interrupt_script(self) -> None:
        """End a script that does something else, such as a loop of its own around jobs started asynchronously."""
        self._interrupt = True
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._interrupt and not self._over.is_set():
            self._interrupt = False
            raise KeyboardInterrupt
        self._signals += 1
        if self._over.is_set():
            return
        if self._signals > 1:
            return
        self._watch.ending = True
        settings().on_execute = _refuse
        threading.Thread(target=self._end, args=(number,), name="datastream-ending", daemon=True).start()
        if not self._watch.has_started:
            raise KeyboardInterrupt

    def _end(self, number: int) -> None:
        log = structlog.get_logger("datastream")
        deadline = time.monotonic() + self._grace_s
        log.info("ending", signal=signal.Signals(number).name, grace_s=self._grace_s)
        self._end_jobs(deadline)
        if self._watch.running:
            self.forced = True
            log.warning("the epoch in hand is given up: it runs again at the next start", grace_s=self._grace_s)
            deadline = time.monotonic()
            for job in self._watch.running:
                threading.Thread(target=job.cancel, daemon=True).start()
        deadline += _CANCEL_S
        while self._watch.running and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        if not self._over.wait(min(_SCRIPT_S if self.forced else 0.0, max(0.0, deadline - time.monotonic()))):
            self._interrupt_script()
        time.sleep(max(0.0, deadline - time.monotonic()))
        log.warning("exit", code=FORCED, asked=True)
        for process in psutil.Process().children(recursive=True):  # Java may hang, and not see that its driver has gone
            with suppress(psutil.Error):
                process.kill()
        os._exit(FORCED)


def _refuse(graph: Any) -> None:
    """Keep a script that is being ended from starting its next job."""
    raise KeyboardInterrupt
