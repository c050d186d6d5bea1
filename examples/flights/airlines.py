"""Names of airlines, and the step that joins them to whatever has a carrier's code first."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyflink.common import Types
from pyflink.datastream import BroadcastProcessFunction
from pyflink.datastream.state import MapStateDescriptor

NAMES = MapStateDescriptor("airlines", Types.STRING(), Types.STRING())
"""The broadcast state: carrier code -> name."""


def read_airlines(path: Path) -> list[tuple[str, str]]:
    """Carrier codes and names, from a CSV file with the columns ``carrier`` and ``name``."""
    with path.open(newline="", encoding="utf-8") as file:
        return [(row["carrier"], row["name"]) for row in csv.DictReader(file)]


class WithAirline(BroadcastProcessFunction):
    """A record that begins with a carrier's code -> (the airline's name, the record).

    Each subtask keeps all names. Where none has come yet the code stands for it.
    """

    def process_element(
        self, value: tuple[Any, ...], ctx: BroadcastProcessFunction.ReadOnlyContext
    ) -> Iterator[tuple[str, tuple[Any, ...]]]:
        yield ctx.get_broadcast_state(NAMES).get(value[0]) or value[0], value

    def process_broadcast_element(self, value: tuple[str, str], ctx: BroadcastProcessFunction.Context) -> None:
        carrier, name = value
        ctx.get_broadcast_state(NAMES).put(carrier, name)
