"""How an attempt ended, for the time when its engine has nothing left of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .launcher import Ended, Launch


def read_ended(launch: Launch) -> Ended | None:
    """How the attempt ended, if that was noted."""
    try:
        return Ended(**json.loads(_file(launch).read_text()))
    except FileNotFoundError:
        return None


def write_ended(launch: Launch, ended: Ended) -> None:
    """Note how the attempt ended."""
    file = _file(launch)
    temporary = file.with_name(f".{file.name}.new")
    temporary.write_text(json.dumps({"code": ended.code, "reason": ended.reason}))
    os.replace(temporary, file)


def _file(launch: Launch) -> Path:
    return launch.folder / f"ended-{launch.attempt}.json"
