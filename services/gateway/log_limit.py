"""Keeps what others can bring about, again and again, from filling the disk with the log."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

#: Complaints of one kind at once, and one more each time this number of seconds has passed.
_BURST, _EACH_S = 20, 10.0
#: Tracebacks of one kind, likewise.
_TRACES, _TRACE_EACH_S = 3, 60.0
#: Kinds that are distinguished.
_KINDS = 1000


class _Bucket:
    __slots__ = ("left", "when", "kept_back")

    def __init__(self, left: float, when: float) -> None:
        self.left, self.when, self.kept_back = left, when, 0

    def takes(self, most: float, each_s: float, now: float) -> bool:
        self.left = min(most, self.left + (now - self.when) / each_s)
        self.when = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class LogLimit(logging.Filter):
    """Lets a limited number of warnings and errors of each kind through, by the text that they are made from.

    Args:
        clock: Never goes back; in s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._messages: dict[tuple[str, str], _Bucket] = {}
        self._traces: dict[tuple[str, str], _Bucket] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        now = self._clock()
        # Texts of other libraries may hold what others have sent; their beginning tells the kind.
        kind = (record.name, str(record.msg)[:40])
        with self._lock:
            if len(self._messages) > _KINDS:
                self._messages.clear()
                self._traces.clear()
            bucket = self._messages.setdefault(kind, _Bucket(_BURST, now))
            if not bucket.takes(_BURST, _EACH_S, now):
                bucket.kept_back += 1
                return False
            kept_back, bucket.kept_back = bucket.kept_back, 0
            traced = record.exc_info is not None and record.exc_info[0] is not None
            of_trace = (*kind[:1], kind[1] + str(record.exc_info[0]) if record.exc_info else "")
            shown = traced and self._traces.setdefault(of_trace, _Bucket(_TRACES, now)).takes(
                _TRACES, _TRACE_EACH_S, now
            )
        if kept_back or (traced and not shown):
            text = record.getMessage()
            if traced and not shown and record.exc_info is not None:
                text += f": {str(record.exc_info[1]).partition(chr(10))[0]}"
                record.exc_info = record.exc_text = None
            if kept_back:
                text += f" ({kept_back} more like it were not logged)"
            record.msg, record.args = text, ()
        return True
