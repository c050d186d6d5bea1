"""The settings of an `IcebergSource`, as its enumerator and its readers see them."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.connectors.lakehouse.read_settings import ReadSettings

from .location import IcebergLocation
from .start import IcebergStart


@dataclass(frozen=True)
class IcebergReadSettings(ReadSettings):
    """What is read.

    Attributes:
        skip_deletes: Snapshots that only delete rows are passed over.
        skip_overwrites: Snapshots that rewrite rows are passed over, with the rows that they add.
    """

    location: IcebergLocation
    start: IcebergStart = IcebergStart()
    skip_deletes: bool = False
    skip_overwrites: bool = False
