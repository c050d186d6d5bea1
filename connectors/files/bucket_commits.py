"""What is done once a bucket is complete."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class BucketCommits(ABC):
    """Says when a bucket is complete, and what is done then: after all its files are visible.

    A bucket is open from its first records on. At the end of the job all that are open are complete. Records that come
    later open it again. Buckets of a job that has ended are completed by
    another job of the same sink on local paths only. It is pickled to the process that commits.

    Attributes:
        watermarks: Whether `is_complete` heeds the watermark.
        delay_ms: For how long a bucket is open by the clock; None: that does not matter.
    """

    watermarks: bool = False
    delay_ms: int | None = None

    @abstractmethod
    def is_complete(self, bucket: str, since: int, now: int, watermark: int) -> bool:
        """Whether a bucket gets no more records.

        Args:
            bucket: The folder, relative to the base path.
            since: When the first of its records was committed, in ms since 1970.
            now: The clock, in ms since 1970.
            watermark: Event time of the sink, in ms since 1970.
        """

    @abstractmethod
    def commit(self, base: str, bucket: str) -> None:
        """Do what is to be done. Again after a crash, so twice must be the same as once.

        Args:
            base: The base path; of a remote one its whole URI, with the access that it names.
            bucket: The folder, relative to it.
        """

    def next_due(self, opened: Mapping[str, int]) -> int | None:
        """When the next bucket is complete by the clock, in ms since 1970; None: by records alone.

        Args:
            opened: Bucket -> when the first of its records was committed.
        """
        return None if self.delay_ms is None or not opened else min(opened.values()) + self.delay_ms + 1
