"""Results of statements in a notebook: tables that follow their query while it runs."""

from __future__ import annotations

import importlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from datastream.api import JobClient
from datastream.api.job_client import handle_of
from datastream.job.handle import JobHandle
from datastream.table.results.current_rows import CurrentRows
from datastream.table.results.html import cell, html_line, html_table, html_text
from datastream.types import RowKind

#: Rows that are shown.
SHOWN = 100
#: Rows that are kept of a result whose rows change.
_KEPT = 10_000
#: How often a table is shown anew, in seconds.
_REFRESH_S = 0.5
#: Rows that wait to be shown.
_AHEAD = 10_000

_Change = tuple[RowKind, tuple[str, ...]]


@dataclass(frozen=True)
class Shown:
    """A result as a notebook shows it.

    Attributes:
        names: Of the columns.
        changes: Reads the rows, with their kinds and the texts of their cells.
        query: A job brings them.
        streaming: In streaming mode.
        taken: They have been taken already.
        client: The job; None: there is none.
        text: What is shown instead of rows; None: rows.
    """

    names: Sequence[str]
    changes: Callable[[], Iterator[_Change]]
    query: bool
    streaming: bool
    taken: bool
    client: JobClient | None
    text: str | None


def show(result: Shown, otherwise: str) -> None:
    """Show a result in the output of a notebook's cell.

    Of a query in batch mode the first rows are shown, and then it ends. In streaming mode the rows are shown as they
    are now, until the query ends or the cell is interrupted, which ends it.

    Args:
        result: It.
        otherwise: What is printed where there is no notebook; nothing is read then.

    Raises:
        DataStreamError: The query has failed.
    """
    ipython = importlib.import_module("IPython")
    if getattr(ipython.get_ipython(), "kernel", None) is None:
        print(otherwise)
        return
    output = _Output(importlib.import_module("IPython.display").display)
    if result.query:
        if result.taken:
            output.show(html_line("the rows of this result have been taken already"))
        else:
            _follow(result, output)
    elif result.client is not None:
        output.show(html_line(f"job {handle_of(result.client).name} ({result.client.get_job_id()})"))
    elif result.text is not None:
        output.show(html_text(result.text))
    else:
        rows = _Rows(result)
        for kind, cells in result.changes():
            rows.take((kind, tuple(map(cell, cells))))
        output.show(rows.html(""))


class _Output:
    """The output of a cell, which is replaced when there is more.

    Args:
        display: That of IPython.
    """

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, html: str) -> None:
        """Show this, instead of what was shown before."""
        content = {"text/html": html, "text/plain": "a result, for a notebook that shows HTML"}
        if self._handle is None:
            self._handle = self._display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


class _Rows:
    """The rows of a result that are shown."""

    def __init__(self, result: Shown) -> None:
        self._streaming, self._names = result.streaming, result.names
        self._rows = CurrentRows(False, _KEPT)
        self._changes = 0
        self._retracts = False

    def take(self, change: _Change) -> None:
        """Take a change."""
        self._changes += 1
        self._retracts = self._retracts or change[0] is not RowKind.INSERT
        self._rows.take(*change)

    @property
    def enough(self) -> bool:
        """Whether more rows would not be shown."""
        return not self._streaming and self._changes > SHOWN

    def html(self, state: str) -> str:
        """The rows as they are now.

        Args:
            state: How the query is.
        """
        there = len(self._rows)
        latest = self._streaming and not self._retracts
        start = max(0, there - SHOWN) if latest else 0
        told = [state] if state else []
        if self.enough:
            told.append(f"the first {SHOWN} rows: collect() returns all")
        elif latest and self._changes > SHOWN:
            told.append(f"the latest {SHOWN} of {self._changes:,} rows")
        else:
            told.append(f"{there:,} row{'' if there == 1 else 's'}")
            if there > SHOWN:
                told.append(f"the first {SHOWN} are shown")
            if self._retracts:
                told.append(f"{self._changes:,} changes")
        return html_table(self._names, self._rows.page(start, SHOWN), ", ".join(told))


def _follow(result: Shown, output: _Output) -> None:
    """Show the rows of a query while it runs."""
    rows = _Rows(result)
    began = time.monotonic()
    output.show(rows.html("starting"))
    with _reading(result) as came:
        shown = time.monotonic()
        try:
            while not rows.enough:
                if not _next(came, rows):
                    break
                if time.monotonic() - shown >= _REFRESH_S:
                    output.show(rows.html(f"running for {time.monotonic() - began:.0f} s"))
                    shown = time.monotonic()
        except KeyboardInterrupt:
            output.show(rows.html("stopped"))
            raise
        except BaseException:
            output.show(rows.html("failed"))
            raise
    output.show(rows.html(f"finished in {time.monotonic() - began:.1f} s"))


def _next(came: queue.Queue[_Change | BaseException | None], rows: _Rows) -> bool:
    """Take the next change, if there is one soon; whether the query goes on."""
    try:
        change = came.get(timeout=_REFRESH_S)
    except queue.Empty:
        return True
    if isinstance(change, BaseException):
        raise change
    if change is None:
        return False
    rows.take(change)
    return True


@contextmanager
def _reading(result: Shown) -> Iterator[queue.Queue[_Change | BaseException | None]]:
    """The changes of a query as another thread reads them: at the end None, or what has failed it.

    The query ends with the block.
    """
    came: queue.Queue[_Change | BaseException | None] = queue.Queue(_AHEAD)
    closed, ended = threading.Event(), threading.Event()

    def put(item: _Change | BaseException | None) -> bool:
        while not closed.is_set():
            try:
                came.put(item, timeout=_REFRESH_S)
                return True
            except queue.Full:
                continue
        return False

    def read() -> None:
        try:
            for kind, cells in result.changes():
                if not put((kind, tuple(map(cell, cells)))):
                    return
            ended.set()
            put(None)
        except BaseException as error:  # the cell raises it
            ended.set()
            put(error)

    reader = threading.Thread(target=read, name="datastream-notebook-rows", daemon=True)
    reader.start()
    try:
        yield came
    finally:
        closed.set()
        handle = None if result.client is None else handle_of(result.client)
        if isinstance(handle, JobHandle) and not ended.is_set():
            handle.begin_cancel()
        reader.join()
