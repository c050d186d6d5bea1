"""Into which folder a record goes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from datastream.errors import ValidationError

from .java_dates import strftime_pattern


class BucketAssigner(ABC):
    """Names the folder of a record. Subclass it for folders of your own; it is pickled to the workers."""

    @abstractmethod
    def get_bucket_id(self, element: Any, processing_time: int) -> str:
        """The folder, relative to the sink's base path, with ``/`` between levels; empty: the base path.

        Args:
            element: The record.
            processing_time: The worker's clock, in ms since 1970.
        """

    def _records_by_bucket(self, records: list[Any], processing_time: int) -> dict[str, list[Any]]:
        """A block by folder."""
        buckets: dict[str, list[Any]] = {}
        for record in records:
            buckets.setdefault(self.get_bucket_id(record, processing_time), []).append(record)
        return buckets

    @staticmethod
    def base_path_bucket_assigner() -> BucketAssigner:
        """Everything goes into the base path itself."""
        return BasePathBucketAssigner()

    @staticmethod
    def date_time_bucket_assigner(format_str: str = "yyyy-MM-dd--HH", timezone_id: str | None = None) -> BucketAssigner:
        """A folder for each hour, or what the pattern says, by the clock of the worker that writes.

        Args:
            format_str: Java's date pattern; see `strftime_pattern` for the letters. Default: an hour.
            timezone_id: Such as ``Europe/Berlin``. Default: the worker's own.

        Raises:
            ValidationError: for a pattern or a time zone that is not known.
        """
        return DateTimeBucketAssigner(format_str, timezone_id)


def records_by_bucket(assigner: BucketAssigner, records: list[Any], processing_time: int) -> dict[str, list[Any]]:
    """A block by folder."""
    return assigner._records_by_bucket(records, processing_time)  # noqa: SLF001 - users' classes have any name


class BasePathBucketAssigner(BucketAssigner):
    """See `BucketAssigner.base_path_bucket_assigner`."""

    def get_bucket_id(self, element: Any, processing_time: int) -> str:
        return ""

    def _records_by_bucket(self, records: list[Any], processing_time: int) -> dict[str, list[Any]]:
        return {"": records}


class DateTimeBucketAssigner(BucketAssigner):
    """See `BucketAssigner.date_time_bucket_assigner`."""

    def __init__(self, format_str: str, timezone_id: str | None) -> None:
        self._pattern = strftime_pattern(format_str)
        try:
            self._zone = None if timezone_id is None else ZoneInfo(timezone_id)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValidationError(f"unknown time zone {timezone_id!r}: use a name such as Europe/Berlin") from error

    def get_bucket_id(self, element: Any, processing_time: int) -> str:
        return datetime.fromtimestamp(processing_time / 1000, self._zone).strftime(self._pattern)

    def _records_by_bucket(self, records: list[Any], processing_time: int) -> dict[str, list[Any]]:
        return {self.get_bucket_id(None, processing_time): records}
