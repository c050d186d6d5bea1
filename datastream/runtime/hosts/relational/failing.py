"""The record in hand where generated code has raised."""

from __future__ import annotations

from datastream.codegen import generated_frames
from datastream.errors import NO_RECORD
from datastream.runtime.hosts.host import Host


def note_record(host: Host, error: BaseException) -> None:
    """Note in a host which record its code had in hand, the variable ``r``."""
    for entry, note in generated_frames(error.__traceback__):
        host.record = entry.tb_frame.f_locals.get("r", NO_RECORD)
        if isinstance(note, str):
            host.what = note
