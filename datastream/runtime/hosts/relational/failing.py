"""The record in hand where generated code has raised."""

from __future__ import annotations

from datastream.codegen import generated_frames
from datastream.errors import NO_RECORD
from datastream.runtime.hosts.host import Host


def note_record(host: Host, error: BaseException) -> None:
    """Note in a host which row its code had in hand, the variable ``r``, and what raised."""
    for entry, note in generated_frames(error.__traceback__):
        if host.record is NO_RECORD:
            host.record = entry.tb_frame.f_locals.get("r", NO_RECORD)
        if isinstance(note, str):
            host.what = note
        elif entry.tb_next is not None:
            host.what = entry.tb_next.tb_frame.f_code.co_qualname
        elif host.what is None:
            host.what = getattr(host.op.user_code, "known_as", None)
