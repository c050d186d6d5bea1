"""Generated functions of rows and accumulators: their text, and the row in hand where one has raised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from datastream.codegen import SourceText, generated_frames
from datastream.errors import NO_RECORD, ValidationError
from datastream.graph.operators.relational import FoldCode
from datastream.runtime.hosts.host import Host
from datastream.runtime.pickled_keys import user_key

INSERT, BEFORE, AFTER, DELETE = range(4)


def source_text(fold: FoldCode) -> SourceText:
    """The text of functions that fold."""
    return SourceText(user_key=user_key, **fold.bound)


def result_text(head: str, results: str) -> str:
    """The expression of a result.

    Args:
        head: What a tuple begins with, such as ``*key,``; may be empty.
        results: Those of the aggregates, with commas between them.
    """
    return f"({head} {results.rstrip(',')}{',' if results else ''})"


def note_record(host: Host, error: BaseException) -> None:
    """Note in a host which row its code had in hand, the variable ``r``, and what raised."""
    for entry, note in generated_frames(error.__traceback__):
        if host.record is NO_RECORD:
            host.record = entry.tb_frame.f_locals.get("r", NO_RECORD)
        if isinstance(note, str):
            host.what = note
        elif entry.tb_next is not None:
            frame = entry.tb_next.tb_frame
            host.what = getattr(frame.f_locals.get("self"), "known_as", None) or frame.f_code.co_qualname
        elif host.what is None:
            host.what = getattr(host.op.user_code, "known_as", None)


@contextmanager
def noting(host: Host) -> Iterator[None]:
    """A block in which generated code runs; see `note_record`."""
    try:
        yield
    except BaseException as error:
        note_record(host, error)
        raise


def check_times(host: Host, error: BaseException, records: list[Any], time: int) -> None:
    """Say so if the error came of a row without time.

    Args:
        host: Where it was raised.
        error: It.
        records: The rows.
        time: The index of their time.

    Raises:
        ValidationError: A row has no time.
    """
    if isinstance(error, TypeError) and any(record[time] is None for record in records):
        host.record = next(record for record in records if record[time] is None)
        raise ValidationError("the time of a row must not be NULL where it is put into windows") from None
