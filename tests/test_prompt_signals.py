"""Signals that interrupt nothing by themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

from datastream.prompt_signals import prompt_signals
from tests.support.waiting import wait_until

# Sends the signal to another thread, so that it meets the main thread's sleep without interrupting it.
SLEEPS = """
import signal, threading, time
from datastream.driver.interrupt import two_steps

other = threading.Thread(target=time.sleep, args=(30,), daemon=True)
other.start()
threading.Timer(0.3, lambda: signal.pthread_kill(other.ident, signal.SIGTERM)).start()
started = time.monotonic()
try:
    with two_steps():
        time.sleep(20)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started < 10)
"""


def test_a_sleep_ends_though_the_signal_did_not_interrupt_it() -> None:
    ended = subprocess.run([sys.executable, "-c", SLEEPS], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "interrupted True\n"


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGURG), threading.active_count(), len(os.listdir("/proc/self/fd"))
    with prompt_signals():
        assert threading.active_count() == before[1] + 1
    wait_until(lambda: threading.active_count() == before[1], "end of the thread")
    assert (signal.getsignal(signal.SIGURG), threading.active_count(), len(os.listdir("/proc/self/fd"))) == before
    assert signal.set_wakeup_fd(-1) == -1
