"""Python's handlers of signals run at once, also where the main thread waits in a system call."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Interrupts the call; by itself it does nothing.
_NUDGE = signal.SIGURG
#: The number of seconds to wait; the second for a nudge that met the same gap.
_WAITS_S = (0.05, 0.5)


@contextmanager
def prompt_signals() -> Iterator[None]:
    """Within the block, which is the main thread's, no signal waits for the end of `time.sleep` and its like.

    Python notes a signal and runs its handler between two instructions. One that comes after the last look and before
    the call, or to another thread, interrupts nothing: the handler runs when the call returns, after minutes perhaps.
    So a thread interrupts the call once more.
    """
    reading, writing = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(writing, False)
    handler = signal.signal(_NUDGE, _nothing)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_nudge, args=(reading,), name="datastream-signals", daemon=True).start()
    try:
        yield
    finally:
        if (now := signal.set_wakeup_fd(wakeup)) != writing:
            signal.set_wakeup_fd(now)  # another owner's by now, such as asyncio's
        signal.signal(_NUDGE, handler)
        os.close(writing)


def forget_interrupts() -> None:
    """A process of ``python -m`` that has caught its `KeyboardInterrupt` ends with its own exit code, not by SIGINT.

    Python notes an interrupt that leaves a text given to `exec`, such as that of a dataclass or a named tuple while a
    module is imported, as one that was not caught. It forgets that with the next such text.
    """
    exec("")


def _nudge(reading: int) -> None:
    main = threading.main_thread().ident
    while came := os.read(reading, 64):
        if main is not None and came.strip(bytes([_NUDGE])):
            for wait_s in _WAITS_S:
                time.sleep(wait_s)
                signal.pthread_kill(main, _NUDGE)
    os.close(reading)


def _nothing(number: int, frame: FrameType | None) -> None:
    """Without a handler the signal would not interrupt anything."""
