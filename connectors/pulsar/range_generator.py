"""Which keys a source reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from datastream.errors import UnsupportedOperation


class RangeGenerator:
    """Which keys a source reads: all. Made by `RangeGenerator.full`."""

    @staticmethod
    def full() -> RangeGenerator:
        """All keys, and messages without one."""
        return RangeGenerator()

    @staticmethod
    def fixed_key(
        support_null_key: bool = False,
        keys: str | Sequence[str] | None = None,
        key_bytes: bytes | None = None,
        ordering_key_bytes: bytes | None = None,
    ) -> NoReturn:
        """Not possible: a job reads whole partitions, in their order.

        Raises:
            UnsupportedOperation: Always.
        """
        raise UnsupportedOperation(
            "RangeGenerator.fixed_key: a job reads whole partitions, which keeps their order; drop the other records "
            "with DataStream.filter(), which a job with fixed_key needs, too"
        )
