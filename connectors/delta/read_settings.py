"""The settings of a `DeltaSource`, as its enumerator and its readers see them."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.connectors.lakehouse.read_settings import ReadSettings

from .location import DeltaLocation
from .start import DeltaStart


@dataclass(frozen=True)
class DeltaReadSettings(ReadSettings):
    """What is read.

    Attributes:
        ignore_deletes: Versions that only remove rows are passed over.
        ignore_changes: Versions that rewrite rows are read as if they added all rows of the new files.
    """

    location: DeltaLocation
    start: DeltaStart = DeltaStart()
    ignore_deletes: bool = False
    ignore_changes: bool = False
