"""URLs and errors as they may be shown."""

from __future__ import annotations

import re

#: Up to the last @: a password may have one.
_CREDENTIALS = re.compile(r"(?<=://)\S+@")
_PASSWORD = re.compile(r"(?<=password=)[^&\s]+", re.IGNORECASE)


def shown(text: str) -> str:
    """A URL or an error without secrets."""
    return _CREDENTIALS.sub("***@", _PASSWORD.sub("***", text))
