"""Records that are written at an even rate while a job reads them, with the clock in each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle

from bench.kafka_broker import producer
from bench.kafka_functions import KEYS, record

_TICK_S = 0.01


@contextmanager
def writing(
    bootstrap: str, source: str, per_s: int, linger_ms: int, keys: bool = False
) -> Iterator[Callable[[], float]]:
    """Writes so many records a second into a topic, in a thread; gives a function: how many a second it did write.

    ``at`` of a record is when it was made, in ms. Without keys the producer chooses partitions by batches.
    """
    client = producer(bootstrap, linger_ms=linger_ms)
    parts = cycle([(f"{number}".encode(), *record(number, at=0).split(b'"at":0', 1)) for number in range(KEYS)])
    done, began = 0, time.time()
    alive = threading.Event()
    alive.set()

    def write() -> None:
        nonlocal done
        while alive.is_set():
            now = time.time()
            clock = b'"at":%d' % (now * 1000)
            while done < per_s * (now - began):
                key, head, tail = next(parts)
                client.produce(source, head + clock + tail, key if keys else None)
                done += 1
            client.poll(0)
            time.sleep(max(0.0, now + _TICK_S - time.time()))

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield lambda: done / (time.time() - began)
    finally:
        alive.clear()
        thread.join()
        client.flush(10)
