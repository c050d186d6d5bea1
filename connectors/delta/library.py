"""deltalake (delta-rs), an optional dependency, imported when it is first used."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError


def deltalake() -> Any:
    """The package, with the modules that the connector uses loaded.

    Raises:
        ValidationError: It is not installed.
    """
    try:
        import deltalake
        import deltalake._internal
        import deltalake.exceptions
        import deltalake.transaction
    except ImportError as error:
        raise ValidationError(f"The Delta Lake connector needs deltalake ({error}): pip install deltalake") from None
    return deltalake
