"""Writing and reading columnar files in tests, and what Python would say to the worst of them."""

from __future__ import annotations

import io
import os
import pickle
import resource
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from datastream.connectors.files import FilePart
from datastream.connectors.files.formats import FileFormat
from datastream.errors import FormatError
from datastream.formats import BulkWriterFactory


def written(factory: BulkWriterFactory, rows: Iterable[Any], flush_every: int = 0) -> bytes:
    """The bytes of a file of these rows, by a copy of the factory as a worker has it."""
    stream = io.BytesIO()
    writer = pickle.loads(pickle.dumps(factory)).create(stream)
    for i, row in enumerate(rows, 1):
        writer.add_element(row)
        if flush_every and i % flush_every == 0:
            writer.flush()
    writer.finish()
    assert not stream.closed
    return stream.getvalue()


def read(file_format: FileFormat, path: Path, parts: int = 1) -> list[Any]:
    """The rows of a file that is cut into so many parts, by a copy of the format."""
    return [row for block in blocks(file_format, path, parts) for row in block]


def blocks(file_format: FileFormat, path: Path, parts: int = 1) -> list[list[Any]]:
    size = path.stat().st_size
    copy: FileFormat = pickle.loads(pickle.dumps(file_format))
    cuts = [size * n // parts for n in range(parts + 1)]
    found = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        found += list(copy.read(FilePart(str(path), start, end, size)))
    return found


def survive(seeds: range, attempt: Callable[[int], None], seconds: int = 20) -> Counter[str]:
    """Count what attempts end in: ``read``, ``FormatError``, another error's name, or ``died``.

    They run in child processes of little memory and with an alarm, so that what ends a process is counted too.
    """
    results: Counter[str] = Counter()
    seed = seeds.start
    while seed < seeds.stop:
        lines, status = _child(range(seed, seeds.stop), attempt, seconds)
        results.update(lines)
        seed += len(lines)
        if status:
            results["died"] += 1
            seed += 1
    return results


def _child(seeds: range, attempt: Callable[[int], None], seconds: int) -> tuple[list[str], int]:
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks where threads run, in Python 3.12
        pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        for seed in seeds:
            signal.alarm(seconds)
            os.write(writing, _outcome(attempt, seed).encode() + b"\n")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        lines = pipe.read().decode().splitlines()
    return lines, os.waitpid(pid, 0)[1]


def _outcome(attempt: Callable[[int], None], seed: int) -> str:
    try:
        attempt(seed)
    except FormatError:
        return "FormatError"
    except BaseException as error:
        return type(error).__name__
    return "read"
