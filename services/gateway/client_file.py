"""The file by which the `datastream` command of a user knows a gateway."""

from __future__ import annotations

import json
import os
from pathlib import Path


def file() -> Path:
    """Where it is."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "datastream" / "gateway.toml"


def save(url: str, token: str) -> Path:
    """Write it, for its user alone to read; where it is."""
    place = file()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = place.with_name(f".{place.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(f"url = {json.dumps(url)}\ntoken = {json.dumps(token)}\n")
    os.replace(new, place)
    return place
