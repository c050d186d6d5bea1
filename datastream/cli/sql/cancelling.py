"""Statements at a prompt, which Ctrl-C cancels."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

import click

from datastream.driver.failures import CANCELLED
from datastream.driver.interrupt import SHOW_CURSOR
from datastream.prompt_signals import prompt_signals


def run_cancellable(work: Callable[[], None], cancel: Callable[[], None]) -> None:
    """Run something in a thread of its own, so that Ctrl-C breaks nothing that is in progress.

    The first Ctrl-C cancels; the third ends the process at once.

    Args:
        work: What is run; what it raises is raised here.
        cancel: Lets it end soon.
    """
    # Whether what happened is an interrupt; else the work has ended.
    happened: SimpleQueue[bool] = SimpleQueue()
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)
        finally:
            happened.put(False)

    interrupts = 0
    before = signal.signal(signal.SIGINT, lambda number, frame: happened.put(True))
    try:
        with prompt_signals():
            threading.Thread(target=run, name="datastream-statement", daemon=True).start()
            while happened.get():
                interrupts += 1
                if interrupts == 1:
                    cancel()
                elif interrupts == 2:
                    click.echo("\ncancelling; Ctrl-C again ends the client at once", err=True)
                else:
                    _end()
    finally:
        signal.signal(signal.SIGINT, before)
    if raised:
        raise raised[0]


def _end() -> None:
    sys.stdout.flush()
    if sys.stderr.isatty():
        os.write(2, SHOW_CURSOR.encode())
    os._exit(CANCELLED)
