"""What the factories of columnar files have in common."""

from __future__ import annotations

from copy import copy
from typing import Self

from datastream.formats.bulk_writer import BulkWriterFactory


class ColumnarFactory(BulkWriterFactory):
    """Makes writers of rows.

    Attributes:
        tuples: Whether the writers take tuples of the values instead, in the order of the fields.
    """

    tuples = False

    def taking_tuples(self) -> Self:
        """The same with `tuples`."""
        made = copy(self)
        made.tuples = True
        return made
