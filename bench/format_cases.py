"""The cases of formats: rows of five fields, one process, against the bare library."""

from __future__ import annotations

from bench.model import Case, Side

#: Format -> (operation, target of ours, name of the bare library, its target).
_FORMATS = {
    "json": (
        ("read", "decode", "orjson.loads", "decode_plain"),
        ("write", "encode", "orjson.dumps(row.as_dict())", "encode_plain"),
    ),
    "csv": (
        ("read", "decode", "csv.reader, int(), float()", "plain_decode"),
        ("write", "encode", "csv.writer", "plain_encode"),
    ),
    "avro": (
        ("read", "decode", "fastavro", "plain_decode"),
        ("write", "encode", "fastavro", "plain_encode"),
    ),
    "parquet": (
        ("read", "read", "pyarrow to dicts", "read_bare"),
        ("write", "write", "pyarrow of dicts", "write_bare"),
    ),
    "orc": (
        ("read", "read", "pyarrow to dicts", "read_bare"),
        ("write", "write", "pyarrow of dicts", "write_bare"),
    ),
    "blocks": (
        ("read", "read", "pickle", "read_bare"),
        ("write", "write", "pickle", "write_bare"),
    ),
}


def format_cases() -> list[Case]:
    """Reading and writing of every format; ids such as ``i-json-read``."""
    return [
        Case(
            f"i-{name}-{operation}",
            f"{name}: {operation} rows of five fields",
            "rows/s",
            (Side("datastream", f"bench.formats.{name}:{ours}"), Side(bare, f"bench.formats.{name}:{theirs}")),
            bare,
            note="one process; the bare library does what a user without this project would write",
        )
        for name, operations in _FORMATS.items()
        for operation, ours, bare, theirs in operations
    ]
