"""A note on how to reach the runner, for who has started it with a port of 0."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from datastream.errors import ValidationError

_ALL = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


def url_of(address: str, port: int) -> str:
    """The URL of the endpoints, as a client on this machine has it."""
    host = _ALL.get(address, address)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def write_note(path: Path, url: str) -> None:
    """Write the process and its URL; whoever reads the file sees all of it, or no file. Its owner alone may read it.

    Args:
        path: Of the file.
        url: Of the endpoints.

    Raises:
        ValidationError: It cannot be written.
    """
    pid = os.getpid()
    about: dict[str, Any] = {"pid": pid, "created": psutil.Process(pid).create_time(), "url": url}
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(about, out)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise ValidationError(f"the note {path} cannot be written: {error.strerror}") from error
