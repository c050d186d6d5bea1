"""A consumer of `confluent_kafka` that may be dropped without `close`."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from typing import Any

from .library import confluent_kafka


@cache
def consumer_class() -> type[Any]:
    """The class: a dropped consumer closes itself, since librdkafka (2.16) may wait for ever for one that fetches."""
    library = confluent_kafka()

    class Consumer(library.Consumer):  # type: ignore[name-defined,misc]  # imported when it is first used
        def __del__(self) -> None:
            if not sys.is_finalizing():  # nothing waits for it then
                with suppress(RuntimeError, library.KafkaException):
                    self.close()

    return Consumer
