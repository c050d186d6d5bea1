"""A line of a job's log for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from datastream.plain_text import escaped, indented

_COLOURS = {"debug": "bright_black", "info": "green", "warning": "yellow", "error": "red", "critical": "red"}
#: Shown in places of their own, or left out: the log is that of one job.
_SHOWN = (
    "timestamp",
    "level",
    "logger",
    "event",
    "job",
    "job_id",
    "line",
    "exception",
    "stack",
    "trace",
    "error",
    "type",
)


def log_text(entry: Mapping[str, Any]) -> str:
    """Time, level, logger, message and other fields; below them a traceback, if there is one. With colours."""
    level = escaped(entry.get("level", "info"), 20)
    colour = _COLOURS.get(level)
    event = escaped(entry.get("event", ""))
    if entry.get("error"):
        event += f": {escaped(entry.get('type') or '')}: {indented(entry['error'])}"
    clock = _clock(str(entry.get("timestamp", "")))
    parts = [
        clock and click.style(clock, dim=True),
        click.style(f"{level:<8}", fg=colour, bold=level == "critical"),
        click.style(event, fg=colour if level not in ("info", "debug") else None),
        *(f"{click.style(escaped(key), dim=True)}={_value(value)}" for key, value in _fields(entry)),
    ]
    traces = [f"  {indented(entry[key])}" for key in ("stack", "exception", "trace") if entry.get(key)]
    return "\n".join(["  ".join(part for part in parts if part), *traces])


def _fields(entry: Mapping[str, Any]) -> list[tuple[str, Any]]:
    fields = [(key, value) for key, value in entry.items() if key not in _SHOWN and value not in (None, {}, [])]
    if entry.get("uid") == entry.get("operator"):
        fields = [(key, value) for key, value in fields if key != "uid"]
    logger = entry.get("logger")
    return [*fields, ("logger", logger)] if logger not in (None, "datastream", "stdout") else fields


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = escaped(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if text and " " not in text or not isinstance(value, str) else repr(text)


def _clock(timestamp: str) -> str:
    """``2026-03-01T12:00:00.123456Z`` -> ``2026-03-01 12:00:00.123``."""
    return escaped(timestamp.replace("T", " ").removesuffix("Z")[:23])
