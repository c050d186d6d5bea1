"""Files of statements."""

from __future__ import annotations

import sys
from pathlib import Path

from datastream.errors import ValidationError

STANDARD_INPUT = "standard input"


def read(path: Path) -> str:
    """The text of a file of statements; ``-`` is standard input.

    Raises:
        ValidationError: it is not there, or is not UTF-8.
    """
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValidationError(f"{path} is not UTF-8: {error}") from error
    except OSError as error:
        raise ValidationError(f"{path} cannot be read: {error.strerror}") from error
