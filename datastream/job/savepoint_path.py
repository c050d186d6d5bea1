"""Where a savepoint of a running job is written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping

from datastream.errors import ValidationError

#: The setting for the folder of savepoints, and its old name.
KEYS = ("execution.checkpointing.savepoint-dir", "state.savepoints.dir")


def savepoint_path(directory: str | None, properties: Mapping[str, str], job_id: str) -> str:
    """A new folder for a savepoint, named as Flink names it.

    Args:
        directory: Where the user wants it; None: where the settings say.
        properties: The job's settings.
        job_id: The job's id.

    Raises:
        ValidationError: Neither says it.
    """
    found = directory or next((properties[key] for key in KEYS if properties.get(key)), None)
    if not found:
        raise ValidationError(
            "a savepoint needs a folder, and none was given: name one in the call, or by --savepointPath (-p) in the "
            f"command, or set {KEYS[0]} (set_default_savepoint_directory)"
        )
    folder = found.removeprefix("file://")
    if folder.startswith("file:/"):
        folder = folder.removeprefix("file:")
    if "://" in folder:
        raise ValidationError(f"a savepoint of a running job is written to a folder of this machine, not to {found}")
    return os.path.join(os.path.abspath(folder), f"savepoint-{job_id[:6]}-{secrets.token_hex(6)}")
