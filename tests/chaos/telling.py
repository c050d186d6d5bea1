"""Progress: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

_EVERY_S = 5.0


class Teller(Protocol):
    """Who is told of a trial."""

    def event(self, text: str) -> None:
        """Something happened."""

    def progress(self, committed: int) -> None:
        """About so many records are committed."""


class Lines:
    """Tells in plain lines, with the seconds since the beginning."""

    def __init__(self, total: int) -> None:
        self._total, self._began, self._told = total, time.monotonic(), 0.0

    def event(self, text: str) -> None:
        print(f"{time.monotonic() - self._began:7.1f} s  {text}", flush=True)

    def progress(self, committed: int) -> None:
        now = time.monotonic()
        if now - self._told >= _EVERY_S:
            self._told = now
            self.event(f"about {committed:,} of {self._total:,} committed")


class _Bar(Lines):
    def __init__(self, total: int, bar: Progress) -> None:
        super().__init__(total)
        self._bar, self._task = bar, bar.add_task("committed", total=total)

    def event(self, text: str) -> None:
        self._bar.console.print(f"{time.monotonic() - self._began:7.1f} s  {text}", highlight=False, markup=False)

    def progress(self, committed: int) -> None:
        self._bar.update(self._task, completed=min(committed, self._total))


@contextmanager
def teller(total: int) -> Iterator[Teller]:
    """A bar where stdout is a terminal, plain lines elsewhere."""
    console = Console()
    if not console.is_terminal:
        yield Lines(total)
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as bar:
        yield _Bar(total, bar)
