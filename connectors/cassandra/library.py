"""cassandra-driver, an optional dependency, imported when it is first used."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError


def cassandra() -> Any:
    """The driver, with the modules that the connector uses loaded.

    Raises:
        ValidationError: It is not installed.
    """
    try:
        import cassandra
        import cassandra.auth
        import cassandra.cluster
        import cassandra.connection
        import cassandra.policies
        import cassandra.protocol
        import cassandra.query
        import cassandra.util
    except ImportError as error:
        raise ValidationError(
            f"The Cassandra connector needs cassandra-driver ({error}): pip install cassandra-driver"
        ) from None
    return cassandra
