"""Entries of a job's state as bytes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from typing import Any

from datastream import stored_types
from datastream.errors import CheckpointDamaged, CheckpointError
from datastream.graph.state_forms import Stored
from datastream.types.pickles import dumps

from .records import ALL, FIRST_FORMAT, MARK, PAGES, RUN_HEAD, Record

_BY_LETTER = {record.letter: record for record in ALL}
_HEADER = 3

#: Makes an object of a pickle.
Loads = Callable[[bytes | memoryview], Any]

#: Makes a pickle of an object.
Dumps = Callable[[Any], bytes]


def encode(record: Record, content: Any, dumps: Dumps = dumps) -> bytes:
    """An entry.

    Args:
        record: Its kind.
        content: Built-in types around the users' values.
        dumps: What pickles it.
    """
    return record.header + dumps(content)


def decode(record: Record, data: bytes, loads: Loads | None = None) -> Any:
    """What is in an entry.

    Args:
        record: What kind it should be.
        data: The entry.
        loads: What reads pickles. Default: pickle.

    Raises:
        CheckpointError: It is of another kind or a later version, is damaged, or a class cannot be imported.
    """
    load = loads or pickle.loads
    if data[:_HEADER] != record.header:
        known = data[: _HEADER - 1] == record.header[:-1] and len(data) >= _HEADER
        renewed = record.earlier.get(data[_HEADER - 1]) if known else None
        if renewed is None:
            raise _wrong(record, data)
        return unpickled_each(record, [memoryview(data)[_HEADER:]], lambda part: renewed(load(part)))[0]
    return unpickled_each(record, [memoryview(data)[_HEADER:]], load)[0]


def without_header(record: Record, data: bytes) -> memoryview:
    """What is in an entry that is not one pickle; see `decode`."""
    if data[:_HEADER] != record.header:
        raise _wrong(record, data)
    return memoryview(data)[_HEADER:]


def unpickled_each(record: Record, pickles: Iterable[bytes | memoryview], loads: Loads | None = None) -> list[Any]:
    """What is in pickles of entries; see `decode`."""
    load = loads or pickle.loads
    try:
        return [load(data) for data in pickles]
    except CheckpointError:
        raise
    except (pickle.UnpicklingError, EOFError) as error:
        raise CheckpointDamaged(f"the job's state is damaged: a {record.name} cannot be read: {error}") from error
    except (ImportError, AttributeError) as error:
        later = stored_types.__name__ in str(error)
        raise CheckpointDamaged(
            f"a {record.name} in the job's state cannot be read: {error}; "
            + (
                "it was written by a later version of datastream: run the job with that one"
                if later
                else "state keeps classes by their names: put the class back where it was, or leave its name there"
            )
        ) from error
    except Exception as error:  # a damaged pickle raises anything, and so do classes of users
        raise CheckpointDamaged(
            f"a {record.name} in the job's state cannot be read: {type(error).__name__}: {error}; it is damaged, or a "
            "class of the job does not take what was kept of its objects"
        ) from error


def decode_page(stored: Stored, page: int, data: bytes, loads: Loads | None = None) -> dict[Any, Any]:
    """What is in a page of a dict.

    Args:
        stored: How the state is stored.
        page: The page's number.
        data: The entry.
        loads: See `decode`.
    """
    head, later = PAGES[stored]
    if not page and data.startswith(RUN_HEAD.header):
        decode(RUN_HEAD, data, loads)
        return {}  # its keys are in runs
    found: dict[Any, Any] = decode(later, data, loads) if page else decode(head, data, loads)[1]
    return found


def _wrong(record: Record, data: bytes) -> CheckpointDamaged:
    """The error of what is no entry of this kind and version."""
    if data[:1] != MARK:
        return CheckpointDamaged(f"the job's state is damaged: a {record.name} begins with {data[:_HEADER]!r}")
    if len(data) < _HEADER:
        return CheckpointDamaged(f"the job's state is damaged: a {record.name} ends after {len(data)} bytes")
    letter, version = chr(data[1]), data[2]
    known = _BY_LETTER.get(letter)
    if known is None:
        return CheckpointDamaged(
            f"the job's state holds a record of kind '{letter}', version {version}, where a {record.name} should be; "
            "this version of datastream knows no such kind: run the job with the version that wrote it, or a later one"
        )
    if known is not record:
        return CheckpointDamaged(f"the job's state holds a {known.name} where a {record.name} should be: it is damaged")
    if version < FIRST_FORMAT:
        return CheckpointDamaged(
            f"a {record.name} in the job's state is of version {version}, which no published version of datastream has "
            "written: it cannot be read"
        )
    return CheckpointDamaged(
        f"a {record.name} in the job's state is of version {version}, and this version of datastream reads them up to "
        f"version {record.version}: run the job with the version that wrote it, or a later one"
    )
