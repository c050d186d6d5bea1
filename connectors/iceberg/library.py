"""pyiceberg, an optional dependency, imported when it is first used."""

from __future__ import annotations

import logging

from datastream.errors import ValidationError


def check_library() -> None:
    """See that pyiceberg is installed. It does not log each table that is opened, unless its logger has a level.

    Raises:
        ValidationError: It is not.
    """
    try:
        import pyiceberg.io.pyarrow
        import pyiceberg.table  # noqa: F401
    except ImportError as error:
        raise ValidationError(
            f"The Iceberg connector needs pyiceberg ({error}): pip install 'pyiceberg[pyarrow]'"
        ) from None
    logger = logging.getLogger("pyiceberg.io")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.WARNING)
